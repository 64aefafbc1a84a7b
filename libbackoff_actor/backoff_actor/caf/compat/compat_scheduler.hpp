#pragma once

// Part of compat: how the threads of a system share the runnable actors.

#include "backoff_actor/core/export.hpp"

#include <caf/actor_system_config.hpp>

namespace backoff_actor::compat {

/// Lets the threads of an actor system share one queue of runnable actors. By default each thread
/// has its own queue, and steals from the others. Call it before the system is made.
///
/// With its default, CAF 0.17.6 is far slower when many actors end at once: a thread that steals
/// searches the whole queue of another thread.
BACKOFF_ACTOR_EXPORT void share_work(caf::actor_system_config& config);

} // namespace backoff_actor::compat
