#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>

namespace backoff_actor {

/// Ethernet's truncated binary exponential backoff: `ethernet(51.2us, ceiling 10)`.
///
/// Before retry n = 1, 2 ...: a whole number of slots, uniform over 0 to `2^min(n, ceiling) - 1`.
/// A station gives up after 16 attempts. That is a limit, so it is not part of this formula: see
/// `limits_of`.
///
/// @source IEEE 802.3, 4.2.3.2.5.
struct Ethernet {
  /// What one slot lasts: 512 bit times. The default is for 10 Mb/s.
  ///
  /// @range 1 ns to 24 h
  Duration slot_time = std::chrono::nanoseconds{51200};

  /// From this retry on, the range stays the same.
  ///
  /// @range 1 to 53, and the longest delay, `slot_time * (2^ceiling - 1)`, at most `max_delay`
  int ceiling = 10;

  /// Whether two are equal.
  friend constexpr bool operator==(const Ethernet&, const Ethernet&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Ethernet& formula);

namespace detail {

constexpr double first_level(const Ethernet&) { return 0; }

constexpr Step step(const Ethernet& x, const Progress& progress, double u) {
  const auto retries = one_more(progress.retries);
  const auto exponent = std::min(retries, static_cast<std::uint32_t>(x.ceiling));
  const auto slots = static_cast<double>(std::int64_t{1} << exponent);
  return {{0, retries, progress.draws + 1}, x.slot_time * static_cast<std::int64_t>(u * slots)};
}

} // namespace detail

} // namespace backoff_actor
