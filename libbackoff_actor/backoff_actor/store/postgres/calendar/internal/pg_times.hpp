#pragma once

// Times of PostgreSQL as numbers, in its binary format: microseconds since the beginning of 2000.

#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace backoff_actor::detail {

inline constexpr std::int64_t pg_infinity = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t pg_epoch_us = 946'684'800'000'000;

// @param time one that a `WallTime` cannot name becomes the nearest that it can
constexpr WallTime wall_time_of_pg(std::int64_t time) {
  constexpr auto last = std::numeric_limits<std::int64_t>::max() / 1000 - pg_epoch_us;
  constexpr auto first = -(std::numeric_limits<std::int64_t>::max() / 1000) - pg_epoch_us;
  return {(std::clamp(time, first, last) + pg_epoch_us) * 1000};
}

// Rounds down.
constexpr std::int64_t pg_time_of(WallTime time) {
  const auto whole = time.since_epoch / 1000;
  return (time.since_epoch % 1000 < 0 ? whole - 1 : whole) - pg_epoch_us;
}

} // namespace backoff_actor::detail
