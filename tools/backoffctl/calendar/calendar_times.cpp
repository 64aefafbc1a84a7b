#include "calendar.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using backoff_actor::Gap;
using backoff_actor::Schedule;
using backoff_actor::WallTime;
using backoff_actor::Zone;

constexpr std::array<const char*, 7> weekday_names{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

std::string offset_text(std::chrono::seconds offset) {
  const auto size = std::abs(offset.count());
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset < 0s ? '-' : '+',
                static_cast<int>(size / 3600), static_cast<int>(size / 60 % 60));
  return text.data();
}

// What the clocks did to a time.
std::string note_of(const Schedule& schedule, const Zone& zone, WallTime at) {
  if (!schedule.is_local())
    return {};
  const WallTime before{at.since_epoch - 1};
  if (schedule.gap() == Gap::run_after && (schedule | Gap::skip).next_after(before) != at)
    return "right after the gap";
  const auto instants = zone.instants_of(zone.local_time(at));
  if (instants.size() < 2)
    return {};
  return instants.front() == at ? "comes twice: the first" : "comes twice: the second";
}

ShownTime shown(const Schedule& schedule, const Zone& zone, WallTime at) {
  const auto local = zone.local_time(at);
  const auto offset = zone.offset_at(at);
  const std::chrono::weekday day{std::chrono::floor<std::chrono::days>(local)};
  // The same digits as of a time in UTC.
  auto digits = to_string(WallTime{std::chrono::nanoseconds{local.time_since_epoch()}.count()});
  digits.pop_back();
  return {at,
          digits,
          offset_text(offset),
          weekday_names[day.c_encoding()],
          offset.count(),
          note_of(schedule, zone, at)};
}

} // namespace

std::vector<ShownTime> shown_times(const Schedule& schedule, const Zone& zone, WallTime after,
                                   std::uint64_t count) {
  std::vector<ShownTime> result;
  for (auto next = schedule.next_after(after); next && result.size() < count;
       next = schedule.next_after(*next))
    result.push_back(shown(schedule, zone, *next));
  return result;
}

std::optional<WallTime> read_wall_time(const std::string& text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  if (text.size() != form.size() && text.size() != 10)
    return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
      return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    auto result = 0;
    if (at + length <= text.size())
      std::from_chars(text.data() + at, text.data() + at + length, result);
    return result;
  };
  const std::chrono::year_month_day date{std::chrono::year{number(0, 4)} / number(5, 2)
                                         / number(8, 2)};
  if (!date.ok() || number(0, 4) < 1678 || number(0, 4) > 2261 || number(11, 2) > 23
      || number(14, 2) > 59 || number(17, 2) > 59)
    return std::nullopt;
  const auto at = std::chrono::sys_days{date} + std::chrono::hours{number(11, 2)}
                  + std::chrono::minutes{number(14, 2)} + std::chrono::seconds{number(17, 2)};
  return WallTime{std::chrono::nanoseconds{at.time_since_epoch()}.count()};
}

} // namespace backoffctl
