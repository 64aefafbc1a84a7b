#include "fragile.hpp"

namespace backoff_actor::actor_test {

// In one file, for it takes a compiler seconds.
void register_test_types(caf::actor_system_config& config) {
  init<caf::id_block::backoff_actor_tests>(config);
}

} // namespace backoff_actor::actor_test
