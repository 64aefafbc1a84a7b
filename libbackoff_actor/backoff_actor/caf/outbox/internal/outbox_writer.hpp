#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/messages/internal/own_words.hpp"

#include <memory>

namespace backoff_actor {

class WriteQueue;

// Starts the actor that writes the changes in the queue. The queue says when to send it `GoOn`.
// After a `Stop` of its sender it ends when the queue has no task for it.
caf::actor spawn_store_writer(caf::actor_system& system, std::shared_ptr<WriteQueue> queue);

} // namespace backoff_actor
