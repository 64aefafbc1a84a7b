#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>

namespace backoff_actor {

/// The pseudocode of the article "Exponential Backoff or how not to bring down the server", exactly
/// as written there: `seed002(100ms, x2, cap 15min, jitter 10%)`.
///
/// The first delay is `min`, without jitter, so clients that fail together come back together. Each
/// further delay follows from the delay drawn before it: multiplied by `factor`, cut off at `cap`,
/// plus a normally distributed number whose standard deviation is `jitter` times that product. The
/// cap comes before the jitter, so half of the delays at the cap exceed it. The jitter of all
/// delays adds up. `Exponential` with `gaussian_jitter` has none of these flaws: its first delay
/// has jitter, no delay exceeds the cap, and the jitter of one delay does not change the next.
///
/// @source the article, in Russian, with the programs of
///         github.com/smira/exponential-backoff, 2013.
struct Seed002 {
  /// The first delay.
  ///
  /// @range 1 ns to `max_delay`
  Duration min = std::chrono::milliseconds{100};

  /// The factor between one delay and the next. If it is too close to 1, jitter shortens the delays
  /// more than the factor lengthens them, and they shrink to 0. With a jitter of 10 %, that happens
  /// below 1.006.
  ///
  /// @range 1 to 1000
  double factor = 2;

  /// The longest delay before jitter.
  ///
  /// @range `min` to half of `max_delay`
  Duration cap = std::chrono::minutes{15};

  /// The standard deviation of the jitter, as a part of the delay. Draws reach 8.3 standard
  /// deviations. So beyond 0.12 a delay may become negative. All delays after it would be negative
  /// too: a loop without a wait.
  ///
  /// @range 0 to 0.12
  double jitter = 0.1;

  /// Whether two are equal.
  friend constexpr bool operator==(const Seed002&, const Seed002&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Seed002& formula);

namespace detail {

constexpr double first_level(const Seed002&) { return 0; }

// The deviation is rounded to whole nanoseconds before the addition, so that compilers cannot
// contract both to a fused multiply-add.
inline Step step(const Seed002& x, const Progress& progress, double u) {
  const auto is_first = progress.retries == 0;
  const auto middle = std::min(progress.level * x.factor, in_nanoseconds(x.cap));
  const auto deviation = static_cast<std::int64_t>(normal_number(u) * (x.jitter * middle));
  const auto delay =
    is_first ? x.min : Duration{static_cast<std::int64_t>(middle + 0.5) + deviation};
  return {{in_nanoseconds(delay), one_more(progress.retries), progress.draws + 1}, delay};
}

} // namespace detail

} // namespace backoff_actor
