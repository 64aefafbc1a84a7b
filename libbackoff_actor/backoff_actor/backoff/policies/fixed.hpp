#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

namespace backoff_actor {

/// The same delay before every retry: `fixed(100ms)`.
///
/// Its cap is the longest delay that the jitter can give.
struct Fixed {
  /// The delay.
  ///
  /// @range 0 to `max_delay`
  Duration delay = std::chrono::seconds{1};

  /// Whether two are equal.
  friend constexpr bool operator==(const Fixed&, const Fixed&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Fixed& formula);

namespace detail {

constexpr Growth growth_of(const Fixed& x) { return {in_nanoseconds(x.delay)}; }

} // namespace detail

} // namespace backoff_actor
