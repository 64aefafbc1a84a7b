#pragma once

// Inside of the simulation; not for its users.

#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"

#include <memory>

namespace backoff_actor {

/// Clients that each have a sender, and submit to it one delivery after the other. The sender's
/// child calls the service. A call that times out is an error answer, which the sender retries.
///
/// @range the policy must be a `Policy`
std::unique_ptr<OutageClients> make_sender_clients(const OutageOptions& options,
                                                   const OutageGuards& guards, OutageWorld& world);

} // namespace backoff_actor
