#pragma once

#include "backoff_actor/caf/child_promise.hpp"
#include "backoff_actor/caf/control.hpp"
#include "backoff_actor/caf/dead_letter_record.hpp"
#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/retried_reply.hpp"
#include "backoff_actor/caf/retry_after.hpp"
#include "backoff_actor/caf/submission.hpp"
#include "backoff_actor/caf/supervisor_control.hpp"

namespace backoff_actor {

/// Registers this library's message types and error texts, and your own type-id blocks. Call it
/// once per program, before the actor system is made, on its configuration:
///
///     caf::actor_system_config config;
///     backoff_actor::init<caf::id_block::my_app>(config);
///     caf::actor_system system{config};
template <class... IdBlocks>
void init(caf::actor_system_config& config) {
  seam::register_types<caf::id_block::backoff_actor>(config);
  seam::register_errors(config);
  (seam::register_types<IdBlocks>(config), ...);
}

} // namespace backoff_actor
