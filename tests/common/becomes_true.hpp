#pragma once

#include "common/patience.hpp"

#include <chrono>
#include <functional>
#include <thread>

namespace backoff_actor::test {

/// Whether a condition comes true; not if it takes longer than `limit`.
inline bool becomes_true(const std::function<bool()>& condition,
                         std::chrono::milliseconds limit = patience) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds{200}); // leaves the processor to others
  }
  return true;
}

} // namespace backoff_actor::test
