#pragma once

// Part of the seam: how the actors of a system come to their threads.

#include "backoff_actor/core/export.hpp"

#include <caf/actor_system_config.hpp>

namespace backoff_actor::seam {

/// Lets the threads of an actor system share one queue of actors that have something to do, where by
/// default each has its own and steals from the others. Call it before the system is made.
///
/// CAF 0.17.6 is far slower with its default when many actors end at once: a thread that steals looks
/// through the whole of another's queue.
BACKOFF_ACTOR_EXPORT void share_work(caf::actor_system_config& config);

} // namespace backoff_actor::seam
