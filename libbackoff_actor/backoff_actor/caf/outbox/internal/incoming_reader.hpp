#pragma once

// Inside of the durable outbox; not for its users.

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>

#include <memory>

namespace backoff_actor {

class WriteQueue;

// Starts the actor that reads what other programs have handed over, for `sender`. It ends when the
// desk of the queue does. The queue has a desk.
void spawn_incoming_reader(caf::actor_system& system, const caf::actor_addr& sender,
                           const WriteQueue& queue);

} // namespace backoff_actor
