#pragma once

#include "backoff_actor/caf/remote/network.hpp"

#include <caf/actor_system_config.hpp>

#include <chrono>

namespace remote_worker {

/// A node that is frozen for 800 ms is taken for gone. That is quick: see `NetworkOptions`.
inline constexpr std::chrono::milliseconds heartbeat_interval{200};
inline constexpr std::chrono::milliseconds connection_timeout{600};

/// Sets up either side: both must have the same options. The messages are numbers and texts, which
/// need no type-id block of their own.
inline void init(caf::actor_system_config& config) {
  backoff_actor::init_network(
    config, {.heartbeat_interval = heartbeat_interval, .connection_timeout = connection_timeout});
}

} // namespace remote_worker
