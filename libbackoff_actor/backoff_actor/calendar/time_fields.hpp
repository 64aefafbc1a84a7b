#pragma once

#include "backoff_actor/core/export.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace backoff_actor::detail {

/// Local times, in minutes: those whose minute, hour, day, month and weekday are all in a set. A
/// bit that is set is a number in the set.
struct BACKOFF_ACTOR_EXPORT TimeFields {
  std::uint64_t minutes = 0;     ///< bits 0..59
  std::uint32_t hours = 0;       ///< bits 0..23
  std::uint32_t days = 0;        ///< of the month: bits 1..31
  std::uint16_t months = 0;      ///< bits 1..12
  std::uint8_t weekdays = 0;     ///< bits 0..6, from Sunday
  bool is_either_enough = false; ///< a day must be in `days` or in `weekdays`, else in both

  /// Returns the first of these times at `from` or later, within about 60 years; nothing if there
  /// is none. No set of the forms of schedules that has a time at all is empty for so long.
  std::optional<std::chrono::local_seconds> first_from(std::chrono::local_seconds from) const;

  /// Whether a month has such a day in some year.
  bool ever_comes() const;

  /// Whether all sets are the same.
  friend bool operator==(const TimeFields&, const TimeFields&) = default;

private:
  std::uint32_t days_of(std::chrono::year_month month) const;
  std::optional<std::chrono::minutes> first_in_day(std::chrono::minutes from) const;
  std::optional<std::chrono::local_days> first_day_from(std::chrono::local_days from) const;
};

} // namespace backoff_actor::detail
