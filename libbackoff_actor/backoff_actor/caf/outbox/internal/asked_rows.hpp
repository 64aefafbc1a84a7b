#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/outbox/durable_types.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <functional>

namespace backoff_actor {

// Asks whoever may call the store to answer the client of an `Ask` by the rows.
struct FindInRows {
  Ask what{};
  compat::OpenRequest client{};
  AskAnswer known{}; // by the memory of who asks: unknown, or done and without its answer
};

// Hands an order about a message over as a row, if a row waits that may be that message.
struct PassOn {
  IncomingMessage order{};
  compat::OpenRequest client{}; // of a `Cancel` or `Replace`
};

// Answers the client by what `find` returns or throws, which asks the store.
//
// @param types of the answers
// @param now by the clock of the store
void answer_by_rows(const FindInRows& x, const DurableTypes& types, WallTime now,
                    const std::function<FoundMessage()>& find);

} // namespace backoff_actor

// They stay within the process.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::FindInRows)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::PassOn)
