#pragma once

#include <caf/actor_system_config.hpp>

#include <string>

namespace backoff_actor::actor_test {

/// Has CAF write its log to a file, from `info` on. Each version of CAF has other names for that.
void log_to_file(caf::actor_system_config& config, const std::string& file);

} // namespace backoff_actor::actor_test
