#include "backoff_actor/retry/steady_clock.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace backoff_actor {

Instant SteadyClock::now() const {
  return {
    std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

bool SteadyClock::sleep_until(Instant due) const {
  const auto is_cancelled = [&] { return cancelled_.stop_requested(); };
  if (is_cancelled() || now() >= due)
    return !is_cancelled();
  // `condition_variable_any` takes a token directly, but it allocates.
  std::mutex mutex;
  std::condition_variable woken;
  const std::stop_callback wake{cancelled_, [&] {
                                  const std::lock_guard lock{mutex};
                                  woken.notify_one();
                                }};
  std::unique_lock lock{mutex};
  const std::chrono::time_point<std::chrono::steady_clock, Duration> end{due.since_origin};
  return !woken.wait_until(lock, end, is_cancelled);
}

} // namespace backoff_actor
