#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/record/ledger.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace backoff_actor::testing {

/// Makes a request to an actor, such as a sender, from a new client. In the ledger, under `key`, it
/// notes the submission and the outcome. An answer counts as an acknowledgement. The errors
/// `outbox_full`, `draining` and `held_back` count as refusals, and any other error as a dead
/// letter. If nothing comes back, no outcome is noted, and the message counts as lost.
///
/// Returns the client, which waits without limit: in virtual time, `keep` it.
///
/// @errors throws `InvalidArgument` if there is no receiver.
/// @thread any
BACKOFF_ACTOR_EXPORT caf::actor request_and_note(caf::actor_system& system, const Ledger& ledger,
                                                 std::string key, const caf::actor& receiver,
                                                 caf::message content);

/// The same with the parts of the message.
template <class T, class... Ts>
requires(!std::same_as<std::decay_t<T>, caf::message>) caf::actor
  request_and_note(caf::actor_system& system, const Ledger& ledger, std::string key,
                   const caf::actor& receiver, T&& value, Ts&&... values) {
  return request_and_note(system, ledger, std::move(key), receiver,
                          caf::make_message(std::forward<T>(value), std::forward<Ts>(values)...));
}

} // namespace backoff_actor::testing
