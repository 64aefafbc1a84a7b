#pragma once

#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

// Zones as the database has them for 2026 and 2027, and times as texts.

namespace backoff_actor::calendar_test {

using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds utc(int year, unsigned month, unsigned day,
                                       std::chrono::seconds of_day = 0s) {
  return std::chrono::sys_days{std::chrono::year{year} / static_cast<int>(month)
                               / static_cast<int>(day)}
         + of_day;
}

constexpr WallTime wall(std::chrono::sys_seconds at) {
  return {std::chrono::nanoseconds{at.time_since_epoch()}.count()};
}

constexpr WallTime wall(int year, unsigned month, unsigned day, std::chrono::seconds of_day = 0s) {
  return wall(utc(year, month, day, of_day));
}

/// Forward on 29 March 2026 and 28 March 2027 from 02:00 to 03:00, back on 25 October 2026 and 31
/// October 2027 from 03:00 to 02:00.
inline Zone berlin() {
  return {"Europe/Berlin",
          1h,
          {{utc(2026, 3, 29, 1h), 2h},
           {utc(2026, 10, 25, 1h), 1h},
           {utc(2027, 3, 28, 1h), 2h},
           {utc(2027, 10, 31, 1h), 1h}}};
}

/// Back on 5 April 2026 from 02:00 to 01:30, forward on 4 October 2026 from 02:00 to 02:30.
inline Zone lord_howe() {
  return {"Australia/Lord_Howe",
          11h,
          {{utc(2026, 4, 4, 15h), 10h + 30min}, {utc(2026, 10, 3, 15h + 30min), 11h}}};
}

inline std::string text_of(const std::optional<WallTime>& time) {
  return time ? to_string(*time) : "never";
}

/// The first times strictly after one.
template <class Schedule>
std::vector<std::string> next_times(const Schedule& schedule, WallTime after, int count) {
  std::vector<std::string> result;
  for (auto next = schedule.next_after(after); count > 0; --count) {
    result.push_back(text_of(next));
    if (!next)
      break;
    next = schedule.next_after(*next);
  }
  return result;
}

} // namespace backoff_actor::calendar_test
