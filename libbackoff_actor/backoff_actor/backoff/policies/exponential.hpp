#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

namespace backoff_actor {

/// A delay that grows by the same factor each time: `exponential(100ms, x2, cap 30s)`.
///
/// Before retry n = 1, 2 ...: `min(cap, first * factor^(n - 1))`, then jitter. With an `exponent`
/// the power stops there: `exponential(1s, x2, exponent 15)`. The power is
/// computed by repeated multiplication, which gives the same nanosecond on every platform; `pow`
/// would not.
struct Exponential {
  /// The delay before the first retry.
  ///
  /// @range 1 ns to `max_delay`
  Duration first = std::chrono::milliseconds{100};

  /// The factor between one delay and the next.
  ///
  /// @range 1 to 1000
  double factor = 2;

  /// No delay exceeds it, jitter included, unless the jitter says otherwise.
  ///
  /// @range `first` to `max_delay`
  Duration cap = max_delay;

  /// The largest exponent of the factor. 0: there is none.
  ///
  /// @range 0 to 1000
  int exponent = 0;

  /// Whether two are equal.
  friend constexpr bool operator==(const Exponential&, const Exponential&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Exponential& formula);

namespace detail {

constexpr Growth growth_of(const Exponential& x) {
  return {.first = in_nanoseconds(x.first), .factor = x.factor};
}

} // namespace detail

} // namespace backoff_actor
