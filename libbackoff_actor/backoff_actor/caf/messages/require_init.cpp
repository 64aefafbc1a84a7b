#include "backoff_actor/caf/messages/internal/require_init.hpp"

#include "backoff_actor/caf/messages/submit.hpp"

#include <stdexcept>

namespace backoff_actor::detail {

void require_init(const caf::actor_system& system) {
  if (!compat::is_registered<Submit>(system))
    throw std::logic_error(
      "backoff_actor::init was not called. Before the caf::actor_system is made, write: "
      "backoff_actor::init(config); or, with your own type-id blocks: "
      "backoff_actor::init<caf::id_block::my_app>(config);");
}

} // namespace backoff_actor::detail
