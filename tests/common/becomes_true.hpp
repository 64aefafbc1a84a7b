#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace backoff_actor::test {

/// Whether a condition comes true before patience ends, after ten seconds.
inline bool becomes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace backoff_actor::test
