#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cstdint>

namespace backoff_actor {

/// A delay that grows with a power of the number of retries: `polynomial(15s, +1s, ^4)`.
///
/// Before retry n = 1, 2 ...: `min(cap, first + step * (n - 1)^power)`, then jitter. The power is
/// computed in whole numbers, which gives the same nanosecond on every platform.
struct Polynomial {
  /// The delay before the first retry.
  ///
  /// @range 0 to `max_delay`
  Duration first = std::chrono::seconds{1};

  /// What the power is multiplied with.
  ///
  /// @range 0 to `max_delay`
  Duration step = std::chrono::seconds{1};

  /// The exponent.
  ///
  /// @range 1 to 10
  int power = 2;

  /// No delay exceeds it, jitter included, unless the jitter says otherwise.
  ///
  /// @range `first` to `max_delay`, more than 0
  Duration cap = max_delay;

  /// Whether two are equal.
  friend constexpr bool operator==(const Polynomial&, const Polynomial&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Polynomial& formula);

namespace detail {

constexpr double level_at(const Polynomial& x, std::uint32_t n) {
  const auto rest = max_delay.count() - x.first.count(); // what may still be added
  const std::int64_t before = n - 1;                     // retries
  auto added = before == 0 ? 0 : std::int64_t{x.step.count()};
  for (auto i = 0; i < x.power && before > 0; ++i)
    added = added > rest / before ? rest : added * before;
  return static_cast<double>(x.first.count() + added);
}

} // namespace detail

} // namespace backoff_actor
