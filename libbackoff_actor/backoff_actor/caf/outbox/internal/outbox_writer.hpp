#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/messages/internal/own_words.hpp"

#include <memory>

namespace backoff_actor {

class OutboxQueue;

// Starts the actor that writes what is in the queue, when it is told `WriteNow` as the queue says. It
// ends when it was told that its sender is gone, and nothing is to be written.
caf::actor spawn_store_writer(caf::actor_system& system, std::shared_ptr<OutboxQueue> queue);

} // namespace backoff_actor
