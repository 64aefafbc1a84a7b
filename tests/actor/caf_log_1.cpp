#include "caf_log.hpp"

namespace backoff_actor::actor_test {

void log_to_file(caf::actor_system_config& config, const std::string& file) {
  config.set("caf.logger.file.path", file);
  config.set("caf.logger.file.verbosity", "info");
}

} // namespace backoff_actor::actor_test
