#include "backoff_actor/caf/process_seed.hpp"

#include <random>

namespace backoff_actor::detail {

std::uint64_t seed_of_this_process() {
  static const auto seed = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return seed;
}

} // namespace backoff_actor::detail
