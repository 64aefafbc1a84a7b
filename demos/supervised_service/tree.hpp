#pragma once

#include "journal.hpp"
#include "options.hpp"
#include "parts.hpp"

#include "backoff_actor/caf/supervisor/supervisor.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <memory>

namespace supervised_service {

/// Starts all parts, and waits until they are up. `desk` and `journal` must outlive the actor
/// system.
///
/// @errors throws `backoff_actor::StartFailed`
caf::actor start_tree(caf::actor_system& system, const Options& options, int port,
                      const std::shared_ptr<const Parts>& parts, Desk& desk, Journal& journal);

/// Asks for the tree as it is, with the workers below their senders.
///
/// @errors throws `std::runtime_error` if root does not answer.
/// @thread any but an actor's own
backoff_actor::SupervisionTree look_at_tree(caf::actor_system& system, const caf::actor& root,
                                            const Parts& parts);

} // namespace supervised_service
