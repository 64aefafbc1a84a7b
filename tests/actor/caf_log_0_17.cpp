#include "caf_log.hpp"

#include <caf/atom.hpp>

namespace backoff_actor::actor_test {

void log_to_file(caf::actor_system_config& config, const std::string& file) {
  config.set("logger.file-name", file);
  config.set("logger.file-verbosity", caf::atom("info"));
}

} // namespace backoff_actor::actor_test
