#include "backoff_actor/retry/default_draws.hpp"

#include <atomic>
#include <random>

namespace backoff_actor {

std::uint64_t random_bits() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::uint64_t seed_of_this_process() {
  static const auto seed = random_bits();
  return seed;
}

std::uint64_t next_stream_of_this_process() {
  static std::atomic<std::uint64_t> next{std::uint64_t{1} << 63};
  return next.fetch_add(1, std::memory_order_relaxed);
}

} // namespace backoff_actor
