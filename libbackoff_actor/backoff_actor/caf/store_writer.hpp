#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/messages.hpp"

#include <memory>

namespace backoff_actor {

class OutboxQueue;

// Starts the actor that writes what is in the queue, when it is told `WriteNow` as the queue says. It
// lives as long as somebody holds it, or something is to be written.
caf::actor spawn_store_writer(caf::actor_system& system, std::shared_ptr<OutboxQueue> queue);

} // namespace backoff_actor
