#include "backoff_actor/calendar/internal/cron_fields.hpp"

#include "backoff_actor/core/text/internal/advice.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <system_error>

// fields := minute hour day_of_month month day_of_week     with blanks between them
// field  := part { ',' part }
// part   := ( '*' | value | value '-' value ) [ '/' step ]      a step not after a single value
// value  := a whole number of one or two digits | a name

namespace backoff_actor::detail {

namespace {

constexpr std::array<std::string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekday_names{"sun", "mon", "tue", "wed",
                                                        "thu", "fri", "sat"};

struct Field {
  std::string_view name;
  int least;
  int most; // of what `*` means
  std::span<const std::string_view> names{};

  bool has_weekdays() const { return names.size() == weekday_names.size(); }
  int most_value() const { return has_weekdays() ? 7 : most; } // 7 is Sunday, too
};

constexpr std::array<Field, 5> fields{{{"minute", 0, 59},
                                       {"hour", 0, 23},
                                       {"day_of_month", 1, 31},
                                       {"month", 1, 12, month_names},
                                       {"day_of_week", 0, 6, weekday_names}}};

struct Nickname {
  std::string_view name;
  std::string_view fields;
};

constexpr std::array<Nickname, 7> nicknames{{{"@yearly", "0 0 1 1 *"},
                                             {"@annually", "0 0 1 1 *"},
                                             {"@monthly", "0 0 1 * *"},
                                             {"@weekly", "0 0 * * 0"},
                                             {"@daily", "0 0 * * *"},
                                             {"@midnight", "0 0 * * *"},
                                             {"@hourly", "0 * * * *"}}};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string in_quotes(std::string_view text) { return std::string{"'"}.append(text).append("'"); }

std::string allowed_values(const Field& field) {
  std::string result;
  if (field.name != "weekdays")
    result = std::to_string(field.least).append("..").append(std::to_string(field.most_value()));
  if (!field.names.empty())
    result.append(result.empty() ? "" : " or ")
      .append(field.names.front())
      .append("..")
      .append(field.names.back());
  return result;
}

// -- one field --------------------------------------------------------------------

class FieldReader {
public:
  FieldReader(const Field& field, Problems& problems) : field_(field), problems_(problems) {}

  // Returns a bit for each value of the field. Stops at the first problem.
  std::uint64_t read(std::string_view text) {
    std::uint64_t result = 0;
    for (auto rest = text; is_good_; rest.remove_prefix(rest.find(',') + 1)) {
      result |= part(rest.substr(0, rest.find(',')));
      if (rest.find(',') == rest.npos)
        break;
    }
    return result;
  }

  bool is_good() const { return is_good_; }

private:
  std::uint64_t part(std::string_view text) {
    const auto slash = text.find('/');
    const auto range = text.substr(0, slash);
    const auto dash = range.find('-');
    auto first = field_.least;
    auto last = field_.most;
    if (range != "*") {
      const auto from = value(range.substr(0, dash), false);
      const auto to = dash == range.npos ? from : value(range.substr(dash + 1), true);
      if (!from || !to)
        return 0;
      first = *from;
      last = *to;
    }
    if (first > last)
      return fail(range, "a range from the lower to the higher, such as "
                           + std::to_string(field_.least) + "-"
                           + std::to_string(field_.most_value()));
    if (slash == text.npos)
      return bits(first, last, 1);
    const auto by = number(text.substr(slash + 1));
    if (!by || *by < 1 || *by > field_.most_value())
      return fail(text, "a step of 1.." + std::to_string(field_.most_value()));
    if (range != "*" && dash == range.npos)
      return fail(text, "a step after * or a range: "
                          + std::string{range}
                              .append("-")
                              .append(std::to_string(field_.most))
                              .append(text.substr(slash)));
    return bits(first, last, *by);
  }

  static std::optional<int> number(std::string_view text) {
    int result = 0;
    const auto* const end = text.data() + text.size();
    if (text.empty() || text.size() > 2 || text.front() == '-')
      return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, result);
    return error == std::errc{} && stop == end ? std::optional{result} : std::nullopt;
  }

  std::optional<int> value(std::string_view text, bool is_end) {
    auto result = number(text);
    if (const auto named = std::find(field_.names.begin(), field_.names.end(), text);
        named != field_.names.end()) {
      result = field_.least + static_cast<int>(named - field_.names.begin());
      if (is_end && field_.has_weekdays() && *result == 0)
        result = 7; // sat-sun
    }
    if (result && *result >= field_.least && *result <= field_.most_value())
      return result;
    fail(text, allowed_values(field_).append(did_you_mean(text, field_.names)));
    return std::nullopt;
  }

  std::uint64_t bits(int first, int last, int by) const {
    std::uint64_t result = 0;
    for (auto i = first; i <= last; i += by)
      result |= std::uint64_t{1} << (field_.has_weekdays() ? i % 7 : i);
    return result;
  }

  std::uint64_t fail(std::string_view given, std::string allowed) {
    if (is_good_)
      problems_.add(std::string{field_.name}, in_quotes(given), std::move(allowed));
    is_good_ = false;
    return 0;
  }

  const Field& field_;
  Problems& problems_;
  bool is_good_ = true;
};

// -- the whole text ---------------------------------------------------------------

struct Word {
  std::string text; // in small letters
  std::size_t column;
};

std::vector<Word> words_of(std::string_view text, std::size_t column) {
  std::vector<Word> result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i]))
      continue;
    if (i == 0 || is_blank(text[i - 1]))
      result.push_back({{}, column + i});
    const auto c = text[i];
    result.back().text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::optional<std::string_view> fields_of(std::string_view nickname) {
  const auto* const found = std::find_if(nicknames.begin(), nicknames.end(),
                                         [&](const Nickname& x) { return x.name == nickname; });
  return found == nicknames.end() ? std::nullopt : std::optional{found->fields};
}

void add_unknown(const std::string& nickname, Problems& problems) {
  std::array<std::string_view, nicknames.size()> names;
  std::string allowed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = nicknames[i].name;
    allowed.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  }
  problems.add("fields", in_quotes(nickname), allowed.append(did_you_mean(nickname, names)));
}

void check_days(const CronFields& read, const Word& days, std::size_t column, Problems& problems,
                FieldColumns& columns) {
  if (!problems.empty() || read.times.ever_comes())
    return;
  columns.emplace_back("day_of_month", column);
  problems.add("day_of_month", in_quotes(days.text), "a day that one of the months has");
}

} // namespace

CronFields read_cron(std::string_view text, std::size_t column, Problems& problems,
                     FieldColumns& columns) {
  auto words = words_of(text, column);
  const auto begin = words.empty() ? column : words.front().column;
  columns.emplace_back("fields", begin);
  if (words.size() == 1 && words.front().text.starts_with('@')) {
    const auto meant = fields_of(words.front().text);
    if (!meant) {
      add_unknown(words.front().text, problems);
      return {};
    }
    words = words_of(*meant, begin);
  }
  if (words.size() != fields.size()) {
    problems.add("fields", std::to_string(words.size()),
                 "5: minute hour day_of_month month day_of_week");
    return {};
  }
  CronFields result;
  std::array<std::uint64_t, fields.size()> bits{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    FieldReader reader{fields[i], problems};
    bits[i] = reader.read(words[i].text);
    if (!reader.is_good())
      columns.emplace_back(fields[i].name, words[i].column);
    result.text.append(i == 0 ? "" : " ").append(words[i].text);
  }
  const auto has_star = [&](std::size_t i) { return words[i].text.starts_with('*'); };
  result.times = {bits[0],
                  static_cast<std::uint32_t>(bits[1]),
                  static_cast<std::uint32_t>(bits[2]),
                  static_cast<std::uint16_t>(bits[3]),
                  static_cast<std::uint8_t>(bits[4]),
                  !has_star(2) && !has_star(4)};
  result.is_interval = has_star(0) || has_star(1);
  check_days(result, words[2], words[2].column, problems, columns);
  return result;
}

// -- weekdays ---------------------------------------------------------------------

std::uint8_t read_weekdays(std::string_view text, Problems& problems) {
  constexpr Field field{"weekdays", 0, 6, weekday_names};
  constexpr auto allowed = "sun..sat with blanks between, such as mon-fri or sat sun";
  const auto words = words_of(text, 1);
  if (words.empty())
    problems.add("weekdays", in_quotes(text), allowed);
  std::uint64_t result = 0;
  for (const auto& word : words) {
    if (word.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != word.text.npos) {
      problems.add("weekdays", in_quotes(word.text), allowed);
      return 0;
    }
    FieldReader reader{field, problems};
    result |= reader.read(word.text);
    if (!reader.is_good())
      return 0;
  }
  return static_cast<std::uint8_t>(result);
}

std::string weekdays_text(std::uint8_t bits) {
  if (bits == every_weekday)
    return {};
  // From Monday to Sunday, as calendars are read.
  const auto has = [&](std::size_t i) { return i <= 7 && (bits >> i % 7 & 1U) != 0; };
  std::string result;
  const auto add = [&](const char* before, std::size_t i) {
    result.append(result.empty() ? "" : before).append(weekday_names[i % 7]);
  };
  for (std::size_t first = 1; first <= 7; ++first) {
    if (!has(first))
      continue;
    auto last = first;
    while (has(last + 1))
      ++last;
    add(" ", first);
    if (last > first)
      add(last > first + 1 ? "-" : " ", last);
    first = last;
  }
  return result;
}

bool begins_with_weekday(std::string_view text) {
  const auto word = text.substr(0, 3);
  return std::find(weekday_names.begin(), weekday_names.end(), word) != weekday_names.end();
}

} // namespace backoff_actor::detail
