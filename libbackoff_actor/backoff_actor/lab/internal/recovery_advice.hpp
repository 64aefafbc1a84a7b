#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor {

/// What one way to retry comes to after an outage.
struct RecoveryFigures {
  /// How long after the service was back all was as before; unset: never.
  ///
  /// @units seconds
  std::optional<double> recover_s{};

  /// The load when the service is back, at its peak: how many times the calls of normal times.
  double times_the_calls = 0;

  /// Healthy messages that died.
  std::uint64_t dead_letters = 0;
};

/// Which of several ways to retry is best, and why.
struct RecoveryAdvice {
  std::size_t best = 0;     ///< its index
  bool is_bearable = false; ///< whether its load is

  /// Whether two are equal.
  friend bool operator==(const RecoveryAdvice&, const RecoveryAdvice&) = default;
};

/// Returns the best of those that recover; nothing if none does. It is the first of those
///
/// 1. with the fewest dead letters, and of these
/// 2. those whose load is bearable, and of these that which recovers soonest, with the least load.
///    If the load of none is bearable: that with the least load, which recovers soonest.
///
/// @param ways          of which one is to be used
/// @param most_bearable the load that is bearable, as a multiple of the calls of normal times;
///                      infinity if a way that recovers has shown that its load is
/// @shape pure, total
BACKOFF_ACTOR_EXPORT std::optional<RecoveryAdvice>
recovery_advice(const std::vector<RecoveryFigures>& ways, double most_bearable);

} // namespace backoff_actor
