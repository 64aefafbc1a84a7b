#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>

namespace backoff_actor {

/// The truncated exponential backoff with random slots of "Exponential Backoff with Akka Actors":
/// `random_slots(10ms, ceiling 10)`, `random_slots(10ms, ceiling 10, stay)`.
///
/// Retry n draws `exp` uniformly from 0 to `min(n, ceiling)`, both ends included, and waits
/// `slot_time * (2^exp - 1)`. So the third retry waits for 0, 1, 3 or 7 slots. (With `Ethernet`,
/// the number of slots is uniform, and not the exponent.) At the ceiling a step does not draw: it
/// makes one retry without a wait and begins again. To avoid that, set `stay_at_ceiling`, which is
/// recommended.
///
/// @source Roestenburg, "Exponential Backoff with Akka Actors", and its code in `patterns`, 2012.
struct RandomSlots {
  /// What one slot lasts.
  ///
  /// @range 1 ns to 24 h
  Duration slot_time = std::chrono::milliseconds{10};

  /// The largest exponent.
  ///
  /// @range 1 to 62, and the longest wait, `slot_time * (2^ceiling - 1)`, must stay below 292 years
  int ceiling = 10;

  /// At the ceiling: stay there. Otherwise the series begins again after a retry without a wait.
  bool stay_at_ceiling = false;

  /// Whether two are equal.
  friend constexpr bool operator==(const RandomSlots&, const RandomSlots&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const RandomSlots& formula);

namespace detail {

constexpr double first_level(const RandomSlots&) { return 0; }

/// The largest exponent that the next draw can give.
constexpr int slot_after(const RandomSlots& x, std::uint32_t retries) {
  return static_cast<int>(
    std::min(std::uint64_t{retries} + 1, static_cast<std::uint64_t>(x.ceiling)));
}

constexpr Step step(const RandomSlots& x, const Progress& progress, double u) {
  const auto slot = slot_after(x, progress.retries);
  if (slot == x.ceiling && !x.stay_at_ceiling)
    return {{0, 0, progress.draws}, Duration::zero()};
  const auto exponent = static_cast<int>(u * (slot + 1));
  const auto slots = (std::int64_t{1} << exponent) - 1;
  return {{0, one_more(progress.retries), progress.draws + 1}, x.slot_time * slots};
}

} // namespace detail

} // namespace backoff_actor
