#pragma once

// Inside of owned senders; not for their users.

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/outbox/internal/asked_rows.hpp"
#include "backoff_actor/caf/owned/owned_sender.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/delivery/shared_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

// Asks for the ownership of the store.
struct LookForOwnership {
  Duration at_most{0}; // as in `SharedStore::own`; 0: say who owns it, too
};

// What the look has found.
struct LookedForOwnership {
  DurableOutbox outbox{}; // none: this process does not own it
  std::optional<StoreOwner> owner{};
  std::optional<StoreFailure> failure{}; // of the store
  std::string text{};                    // the same for people
};

// Asks to write these rows in one transaction.
struct WriteRows {
  std::vector<IncomingMessage> rows{};
};

// What became of each of them: why it was not written; none: it is.
struct RowsWritten {
  std::vector<std::optional<std::string>> failures{};
};

// Starts an actor that makes the calls which may block. It does what the first and third of these
// messages ask for, answers `owner` by the other two, and ends by `Stop`. It answers the client of
// a `FindInRows` itself.
//
// @param writer for `WriteRows`
caf::actor spawn_standby_hand(caf::actor_system& system, const caf::actor_addr& owner,
                              SharedOutbox outbox, std::shared_ptr<IncomingWriter> writer = {});

} // namespace backoff_actor

// They stay within the process.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::LookForOwnership)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::LookedForOwnership)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::WriteRows)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::RowsWritten)
