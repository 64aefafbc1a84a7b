#pragma once

#include "backoff_actor/caf/remote/remote_child.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/node_address.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

namespace backoff_actor {

/// Returns the actor that a node has published, for a client that needs no supervision, such as one
/// of a sender on that node. Both sides prove who they are if the node has TLS. If that node or the
/// line to it fails later, the handle is of no more use: get another one.
///
/// Blocks for up to two `step_timeout`, so do not call it in an actor. `options.published` is
/// ignored: the actor belongs to its node.
///
/// @errors throws `InvalidArgument` naming what is wrong with the arguments. Throws
///         `std::runtime_error` with a sentence if the node cannot be reached or does not answer in
///         time. Also if one side refuses the other, or if no actor is published at that port.
/// @thread any but an actor's
[[nodiscard]] BACKOFF_ACTOR_EXPORT caf::actor
remote_actor(caf::actor_system& system, const NodeAddress& node, const RemoteOptions& options = {});

} // namespace backoff_actor
