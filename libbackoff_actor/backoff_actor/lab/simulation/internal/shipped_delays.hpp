#pragma once

// Inside of the simulation and of the real experiment; not for their users.

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <cstdint>

namespace backoff_actor::detail {

/// The delays of `SmiraAsShipped`. The level is the last delay, or the last thinking time. While
/// the level is negative, the client does not wait. A level far below zero falls without bounds.
/// That is no endless loop, because each call takes time.
struct ShippedDelays {
  /// The state before any call.
  Progress start() const { return {}; }

  /// The state at a new call, after the client thought for `thought`.
  Progress wanting(const Progress& progress, Duration thought) const {
    return {in_nanoseconds(thought), 0, progress.draws};
  }

  /// Returns the delay after a failed call.
  ///
  /// @range  `0 <= u < 1`
  Step next(const Progress& progress, double u) const {
    constexpr auto factor = 2.71828;
    constexpr auto cap = 300e9; // ns
    constexpr auto deviation = 100e6;
    constexpr auto lowest = -1e300; // a lower level would change nothing
    const auto middle = std::max(std::min(progress.level * factor, cap), lowest);
    const auto level = middle + normal_number(u) * deviation;
    const auto wait = static_cast<std::int64_t>(std::max(level, 0.0));
    return {{level, one_more(progress.retries), progress.draws + 1}, Duration{wait}};
  }
};

} // namespace backoff_actor::detail
