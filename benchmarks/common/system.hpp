#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>

#include <cstdint>

namespace benchmarks {

#ifdef CAF_VERSION_MAJOR
inline constexpr bool is_caf_1 = true; ///< CAF 1.x, and not 0.17.6
#else
inline constexpr bool is_caf_1 = false;
#endif

/// Sets how many threads a new system has for its actors.
inline void set_threads(caf::actor_system_config& config, std::uint64_t threads) {
  config.set(is_caf_1 ? "caf.scheduler.max-threads" : "scheduler.max-threads",
             static_cast<std::int64_t>(threads));
}

} // namespace benchmarks
