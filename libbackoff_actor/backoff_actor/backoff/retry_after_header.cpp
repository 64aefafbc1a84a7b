#include "backoff_actor/backoff/retry_after_header.hpp"

#include "backoff_actor/backoff/internal/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace backoff_actor {

namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;
using std::chrono::years;

using Names = std::span<const std::string_view>;
constexpr std::string_view weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::string_view long_weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                              "Friday", "Saturday", "Sunday"};
constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

using detail::is_digit;

Duration in_range(std::uint64_t seconds) {
  constexpr auto longest = std::chrono::duration_cast<std::chrono::seconds>(Duration::max());
  if (seconds > static_cast<std::uint64_t>(longest.count()))
    return Duration::max();
  return std::chrono::seconds{static_cast<std::int64_t>(seconds)};
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// Reads a text from its beginning. After the first mismatch all further reads fail.
class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool is_good_to_the_end() const { return is_good_ && rest_.empty(); }

  void skip(std::string_view expected) {
    is_good_ = is_good_ && rest_.starts_with(expected);
    if (is_good_)
      rest_.remove_prefix(expected.size());
  }

  unsigned one_of(Names names) {
    for (std::size_t i = 0; is_good_ && i < names.size(); ++i)
      if (rest_.starts_with(names[i])) {
        rest_.remove_prefix(names[i].size());
        return static_cast<unsigned>(i);
      }
    is_good_ = false;
    return 0;
  }

  int number(std::size_t digits) {
    is_good_ = is_good_ && rest_.size() >= digits
               && std::all_of(rest_.begin(), rest_.begin() + static_cast<long>(digits), is_digit);
    if (!is_good_)
      return 0;
    int result = 0;
    for (const auto digit : rest_.substr(0, digits))
      result = 10 * result + (digit - '0');
    rest_.remove_prefix(digits);
    return result;
  }

  // Two digits, or a blank and one digit.
  int padded_number() {
    if (!rest_.starts_with(' '))
      return number(2);
    skip(" ");
    return number(1);
  }

private:
  std::string_view rest_;
  bool is_good_ = true;
};

// A date as it is written.
struct Date {
  int year = 0;
  unsigned month = 0; // from 0
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0; // 60 in a leap second

  std::optional<sys_seconds> in_year(int year_number) const {
    const year_month_day date{std::chrono::year{year_number}, std::chrono::month{month + 1},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok() || hour > 23 || minute > 59 || second > 60)
      return std::nullopt;
    return sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute}
           + std::chrono::seconds{second};
  }
};

void read_time(Reader& reader, Date& date) {
  date.hour = reader.number(2);
  reader.skip(":");
  date.minute = reader.number(2);
  reader.skip(":");
  date.second = reader.number(2);
}

std::optional<sys_seconds> read_imf_fixdate(std::string_view text) {
  Reader reader{text};
  Date date;
  reader.one_of(weekdays);
  reader.skip(", ");
  date.day = reader.number(2);
  reader.skip(" ");
  date.month = reader.one_of(months);
  reader.skip(" ");
  date.year = reader.number(4);
  reader.skip(" ");
  read_time(reader, date);
  reader.skip(" GMT");
  return reader.is_good_to_the_end() ? date.in_year(date.year) : std::nullopt;
}

std::optional<sys_seconds> read_asctime(std::string_view text) {
  Reader reader{text};
  Date date;
  reader.one_of(weekdays);
  reader.skip(" ");
  date.month = reader.one_of(months);
  reader.skip(" ");
  date.day = reader.padded_number();
  reader.skip(" ");
  read_time(reader, date);
  reader.skip(" ");
  date.year = reader.number(4);
  return reader.is_good_to_the_end() ? date.in_year(date.year) : std::nullopt;
}

// Returns the latest matching date that is not more than 50 years ahead.
std::optional<sys_seconds> in_likely_year(const Date& date, sys_seconds now) {
  const auto today = std::chrono::floor<std::chrono::days>(now);
  const year_month_day now_date{today};
  const auto latest = sys_days{now_date + years{50}} + (now - today);
  const auto year = static_cast<int>(now_date.year());
  const auto century = year - year % 100;
  for (const auto candidate : {century + 100, century, century - 100})
    if (const auto result = date.in_year(candidate + date.year); result && *result <= latest)
      return result;
  return std::nullopt;
}

std::optional<sys_seconds> read_rfc_850(std::string_view text, sys_seconds now) {
  Reader reader{text};
  Date date;
  reader.one_of(long_weekdays);
  reader.skip(", ");
  date.day = reader.number(2);
  reader.skip("-");
  date.month = reader.one_of(months);
  reader.skip("-");
  date.year = reader.number(2);
  reader.skip(" ");
  read_time(reader, date);
  reader.skip(" GMT");
  return reader.is_good_to_the_end() ? in_likely_year(date, now) : std::nullopt;
}

std::optional<Duration> read_seconds(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit))
    return std::nullopt;
  std::uint64_t result = 0;
  for (const auto digit : text) {
    if (result > UINT64_MAX / 10 - 1)
      return Duration::max();
    result = 10 * result + static_cast<std::uint64_t>(digit - '0');
  }
  return in_range(result);
}

} // namespace

std::optional<Duration> parse_retry_after(std::string_view header, sys_seconds now, PastDate past) {
  // Beyond these years the calendar's numbers would overflow.
  constexpr sys_seconds first_second = sys_days{std::chrono::year{0} / 1 / 1};
  constexpr sys_seconds last_second = sys_days{std::chrono::year{9999} / 12 / 31};
  now = std::clamp(now, first_second, last_second);

  const auto value = without_blanks(header);
  if (const auto span = read_seconds(value))
    return span;
  auto date = read_imf_fixdate(value);
  if (!date)
    date = read_rfc_850(value, now);
  if (!date)
    date = read_asctime(value);
  if (!date)
    return std::nullopt;
  if (*date <= now && past == PastDate::is_absent)
    return std::nullopt;
  const auto span = std::max(*date - now, std::chrono::seconds::zero());
  return in_range(static_cast<std::uint64_t>(span.count()));
}

} // namespace backoff_actor
