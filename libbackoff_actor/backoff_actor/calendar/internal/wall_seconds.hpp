#pragma once

#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <limits>

// Calendars count in whole seconds.

namespace backoff_actor::detail {

/// The second that an instant lies in.
constexpr std::chrono::sys_seconds second_of(WallTime at) {
  return std::chrono::floor<std::chrono::seconds>(
    std::chrono::sys_time<std::chrono::nanoseconds>{std::chrono::nanoseconds{at.since_epoch}});
}

/// The beginning of a second.
///
/// @range the seconds whose beginning a `WallTime` can name
constexpr WallTime wall_time_of(std::chrono::sys_seconds second) {
  return {std::chrono::nanoseconds{second.time_since_epoch()}.count()};
}

/// The last second whose beginning a `WallTime` can name.
inline constexpr auto last_second = second_of({std::numeric_limits<std::int64_t>::max()});

/// A second before all that a `WallTime` can name, by so much that no offset reaches it.
inline constexpr auto before_all =
  second_of({std::numeric_limits<std::int64_t>::min()}) - std::chrono::days{3};

} // namespace backoff_actor::detail
