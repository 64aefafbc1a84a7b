#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <memory>

namespace backoff_actor {

// Hands an order about a message over as a row, if a row waits that may be that message.
struct PassOn {
  IncomingMessage order{};
  compat::OpenRequest client{}; // of a `Cancel` or `Replace`
};

// Starts an actor that takes `PassOn` and answers its client. It may wait for the server long, so
// it has a thread of its own if the writer of the outbox has one. What the sender `owner` gets
// behind the answer comes behind the row, too. It ends by `Stop`.
//
// @param writer not null
caf::actor spawn_row_writer(caf::actor_system& system, const caf::actor_addr& owner,
                            std::shared_ptr<IncomingWriter> writer, const DurableOptions& options);

} // namespace backoff_actor

// It stays within the process.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::PassOn)
