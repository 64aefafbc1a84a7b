#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

namespace backoff_actor {

/// A delay that grows by the same span each time: `linear(1s, +1s, cap 10s)`.
///
/// Before retry n = 1, 2 ...: `min(cap, first + step * (n - 1))`, then jitter.
struct Linear {
  /// The delay before the first retry.
  ///
  /// @range 0 to `max_delay`
  Duration first = std::chrono::seconds{1};

  /// The span added each time.
  ///
  /// @range 0 to `max_delay`
  Duration step = std::chrono::seconds{1};

  /// No delay exceeds it, jitter included, unless the jitter says otherwise.
  ///
  /// @range `first` to `max_delay`, more than 0
  Duration cap = max_delay;

  /// Whether two are equal.
  friend constexpr bool operator==(const Linear&, const Linear&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Linear& formula);

namespace detail {

constexpr Growth growth_of(const Linear& x) {
  return {.first = in_nanoseconds(x.first), .step = in_nanoseconds(x.step)};
}

} // namespace detail

} // namespace backoff_actor
