#pragma once

#include "backoff_actor/caf/remote/network.hpp"

#include <caf/actor_system_config.hpp>

#include <chrono>
#include <filesystem>
#include <string>

namespace remote_worker {

/// A node that is frozen for 800 ms is taken for gone. That is quick: see `NetworkOptions`.
inline constexpr std::chrono::milliseconds heartbeat_interval{200};
inline constexpr std::chrono::milliseconds connection_timeout{600};

/// Sets up either side: both must have the same options. The messages are numbers and texts, which
/// need no type-id block of their own. `tls` is empty, or the files `tls`.pem and `tls`.key, beside
/// which is authority.pem.
inline void init(caf::actor_system_config& config, const std::string& tls) {
  backoff_actor::NetworkOptions options;
  options.heartbeat_interval = heartbeat_interval;
  options.connection_timeout = connection_timeout;
  const auto folder = std::filesystem::path{tls}.parent_path();
  if (!tls.empty())
    // [tls]
    options.tls = backoff_actor::Tls{
      .certificate = tls + ".pem", .key = tls + ".key", .authority = folder / "authority.pem"};
  // [tls]
  backoff_actor::init_network(config, options);
}

} // namespace remote_worker
