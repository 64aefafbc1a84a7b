#pragma once

#include "backoff_actor/core/export.hpp"

#include <caf/actor_system.hpp>

namespace backoff_actor::detail {

// Is called by whatever spawns an actor of this library. It is one look into a table.
//
// Throws `std::logic_error`, saying what to write, if `init` was not called.
BACKOFF_ACTOR_EXPORT void require_init(const caf::actor_system& system);

} // namespace backoff_actor::detail
