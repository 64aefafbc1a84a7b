#pragma once

// Inside of the simulation; not for its users.

#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"

#include <memory>

namespace backoff_actor {

/// Clients that submit what they want to a sender of their own, one delivery after the other. Its
/// child calls the service; a call that was not answered in time is an error answer, to be retried.
///
/// @range the policy must be a `Policy`
std::unique_ptr<OutageClients> make_sender_clients(const OutageOptions& options,
                                                   const std::shared_ptr<Guard>& guard,
                                                   OutageWorld& world);

} // namespace backoff_actor
