#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>

namespace backoff_actor {

/// A delay drawn from a range that grows with the previous delay:
/// `decorrelated(100ms, x3, cap 20s)`.
///
/// Uniform between `first` and `min(cap, factor * previous)`. Before the first draw, previous is
/// `first`. The original cuts off the draw, not the range. With a cap of 400 times `first`, 27 of
/// 100 of its delays are then exactly the cap, and have no jitter. Here delays at the cap keep
/// their jitter, and are shorter on average.
///
/// @source Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
struct Decorrelated {
  /// The shortest delay.
  ///
  /// @range 1 ns to `max_delay`
  Duration first = std::chrono::milliseconds{100};

  /// The upper end of the range is the previous delay times this factor.
  ///
  /// @range 1 to 1000
  double factor = 3;

  /// The longest delay.
  ///
  /// @range `first` to `max_delay`
  Duration cap = max_delay;

  /// Whether two are equal.
  friend constexpr bool operator==(const Decorrelated&, const Decorrelated&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Decorrelated& formula);

namespace detail {

constexpr double first_level(const Decorrelated& x) { return in_nanoseconds(x.first); }

constexpr Step step(const Decorrelated& x, const Progress& progress, double u) {
  const auto first = in_nanoseconds(x.first);
  const auto width = std::min(progress.level * x.factor, in_nanoseconds(x.cap)) - first;
  // Beyond 2^53 ns, 104 days, a double is coarser than a nanosecond.
  const auto delay =
    std::min(x.first + Duration{static_cast<std::int64_t>(u * std::max(width, 0.0))}, x.cap);
  return {{in_nanoseconds(delay), one_more(progress.retries), progress.draws + 1}, delay};
}

} // namespace detail

} // namespace backoff_actor
