#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/steady_clock.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace backoff_actor::retry_test {

/// Time that passes only if it is told to, or slept.
struct FakeClock {
  Instant now() const { return time; }

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

  void pass(Duration span) { time = time + span; }

  Instant time{std::chrono::hours{1}}; // so that nobody takes the origin for the beginning
  std::vector<Duration> sleeps{};
  Duration oversleep{0};
  std::optional<Instant> cancelled_at{};
};

static_assert(RetryClock<FakeClock>);

} // namespace backoff_actor::retry_test
