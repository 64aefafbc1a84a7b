#pragma once

// Inside of the simulation; not for its users.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"

#include <memory>

namespace backoff_actor {

/// Clients that loop for ever: call, wait as the policy says, call again.
BACKOFF_ACTOR_EXPORT std::unique_ptr<OutageClients>
make_retrying_clients(const OutageOptions& options, const OutageGuards& guards, OutageWorld& world);

} // namespace backoff_actor
