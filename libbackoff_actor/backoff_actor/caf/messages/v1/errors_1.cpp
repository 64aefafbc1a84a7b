// The errors of this library as CAF 1.x has them: enumerations with a type id.

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"

namespace backoff_actor {

caf::error make_error(SenderError code) { return caf::error{code}; }

caf::error make_error(SupervisorError code) { return caf::error{code}; }

namespace compat {

void register_errors(caf::actor_system_config& config) {
  caf::core::init_global_meta_objects();
  register_types<caf::id_block::backoff_actor_errors>(config);
  register_types<caf::id_block::backoff_actor_private>(config);
}

} // namespace compat

} // namespace backoff_actor
