#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/steady_clock.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace backoff_actor::testing {

/// Time for `retry` that passes only if it is slept, or told to.
///
///     VirtualClock clock;
///     const auto result = retry(policy, limits, predicate, function, clock);
///     EXPECT_EQ(clock.sleeps, (std::vector<Duration>{100ms, 200ms}));
///
/// @thread one at a time
struct VirtualClock {
  /// Where the clock stands.
  Instant now() const { return time; }

  /// Passes to `due`, and notes the sleep. Returns false if it is cancelled by then.
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

  /// Passes by `span`, which is no sleep: as long as a call takes, for example.
  void pass(Duration span) { time = time + span; }

  /// Returns what lets time pass, for `FaultyFunctionOptions::sleep`. This object must outlive it.
  std::function<void(Duration)> sleeper() {
    return [this](Duration span) { pass(span); };
  }

  Instant time{std::chrono::hours{1}};   ///< no origin, so that nobody takes it for one
  std::vector<Duration> sleeps{};        ///< how long each was meant to be
  Duration oversleep{0};                 ///< by how much each sleep ends too late
  std::optional<Instant> cancelled_at{}; ///< when nobody wants a result any more
};

static_assert(RetryClock<VirtualClock>);

} // namespace backoff_actor::testing
