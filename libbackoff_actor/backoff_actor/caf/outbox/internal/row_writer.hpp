#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/outbox/internal/asked_rows.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <memory>

namespace backoff_actor {

// Starts an actor that takes `PassOn` and answers its client. It may wait for the server long, so
// it has a thread of its own if the writer of the outbox has one. What the sender `owner` gets
// behind the answer comes behind the row, too. It ends by `Stop`.
//
// @param writer not null
caf::actor spawn_row_writer(caf::actor_system& system, const caf::actor_addr& owner,
                            std::shared_ptr<IncomingWriter> writer, const DurableOptions& options);

} // namespace backoff_actor
