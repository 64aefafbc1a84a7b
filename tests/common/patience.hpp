#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

namespace backoff_actor::test {

/// How long a test waits for what must come. Only a wait without hope takes so long: a busy machine
/// may be slow.
inline constexpr std::chrono::seconds patience{120};

/// How long a call takes.
inline std::chrono::nanoseconds time_of(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::steady_clock::now() - begin;
}

/// The shortest time that a try returns. There is another try, as long as a test waits, until one
/// took less than `limit`: a busy machine is late now and then, but what waits for something that
/// it should not wait for does so in each try.
inline std::chrono::nanoseconds
shortest_of_many(std::chrono::nanoseconds limit,
                 const std::function<std::chrono::nanoseconds()>& try_once) {
  const auto end = std::chrono::steady_clock::now() + patience;
  auto result = try_once();
  while (result >= limit && std::chrono::steady_clock::now() < end)
    result = std::min(result, try_once());
  return result;
}

} // namespace backoff_actor::test
