#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/steady_clock.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace backoff_actor::testing {

/// A clock for `retry` whose time passes only during sleeps and calls of `pass`.
///
///     VirtualClock clock;
///     const auto result = retry(policy, limits, predicate, function, clock);
///     EXPECT_EQ(clock.sleeps, (std::vector<Duration>{100ms, 200ms}));
///
/// @thread one at a time
struct VirtualClock {
  /// The current time of the clock.
  Instant now() const { return time; }

  /// Moves the clock to `due` and records the sleep. Returns false if it is cancelled by then.
  bool sleep_until(Instant due) {
    if (cancelled_at && *cancelled_at <= std::max(due, time)) {
      time = std::max(time, *cancelled_at);
      return false;
    }
    if (due > time) {
      sleeps.push_back(due - time);
      time = due + oversleep;
    }
    return true;
  }

  /// Moves the clock by `span` without recording a sleep, for example for the duration of a call.
  void pass(Duration span) { time = time + span; }

  /// Returns a function that calls `pass`, for `FaultyFunctionOptions::sleep`. This object must
  /// outlive it.
  std::function<void(Duration)> sleeper() {
    return [this](Duration span) { pass(span); };
  }

  Instant time{std::chrono::hours{1}};   ///< not 0, so that tests do not rely on the origin
  std::vector<Duration> sleeps{};        ///< the requested length of each sleep
  Duration oversleep{0};                 ///< by how much each sleep ends too late
  std::optional<Instant> cancelled_at{}; ///< when the clock is cancelled; nothing: never
};

static_assert(RetryClock<VirtualClock>);

} // namespace backoff_actor::testing
