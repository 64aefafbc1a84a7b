#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

namespace backoff_actor::policy_test {

inline constexpr double greatest_u = 0x1.fffffffffffffp-1; // the last before 1

inline std::vector<Duration> delays(const Policy& policy, std::size_t count, double u) {
  std::vector<Duration> result;
  auto progress = policy.start();
  while (result.size() < count) {
    const auto step = policy.next(progress, u);
    result.push_back(step.delay);
    progress = step.progress;
  }
  return result;
}

inline std::vector<Duration> drawn_delays(const Policy& policy, std::size_t count,
                                          const Draws& draws) {
  std::vector<Duration> result;
  auto progress = policy.start();
  while (result.size() < count) {
    const auto step = policy.next(progress, draws(progress.draws));
    result.push_back(step.delay);
    progress = step.progress;
  }
  return result;
}

// A test's name can hold letters and digits only.
inline std::string name_of(const std::string& text) {
  std::string result;
  for (const auto c : text)
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return result;
}

} // namespace backoff_actor::policy_test
