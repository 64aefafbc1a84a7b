#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace backoff_actor::test {

/// The seed that a random test begins with: the one in the environment, if there is one.
///
/// @errors throws what `std::stoull` throws, if BACKOFF_ACTOR_SEED is no number.
inline std::uint64_t first_seed() {
  const auto* const given = std::getenv("BACKOFF_ACTOR_SEED");
  return given != nullptr ? std::stoull(given) : 1;
}

/// `count` seeds, from the first on; so the seed that a failure prints is the first of a
/// repetition.
inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t i = 0; i < count; ++i)
    result.push_back(first_seed() + i);
  return result;
}

} // namespace backoff_actor::test
