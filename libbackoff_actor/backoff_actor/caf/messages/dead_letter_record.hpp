#pragma once

#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/observe/events.hpp"

#include <caf/actor_addr.hpp>

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The record of a delivery that left a sender without an acknowledgement.
///
/// @units nanoseconds in `age`
struct DeadLetter {
  std::uint64_t id = 0; ///< counts the deliveries of its sender, or of its durable outbox, from 1
  DeadLetterReason reason = DeadLetterReason::rejected; ///< why nothing more was tried
  std::uint32_t attempts = 0;                           ///< failed attempts
  /// The failure that ended the delivery, or the last one that this sender charged to it. Neither:
  /// why the sender gave up. If it did not give up: the child's last failure since it last
  /// acknowledged something. Empty: none.
  std::string cause{};
  Duration age{0};        ///< since the submission
  caf::message message{}; ///< what the child was to get
  std::string key{};      ///< its key; empty: none
  /// Who submitted it; invalid for an anonymous message. A letter does not keep its client alive.
  caf::actor_addr client{};
  std::string idempotency_key{}; ///< with which it was submitted; empty: none
  std::string retries{};         ///< as `Submit::retries`
  std::uint32_t worker = 0; ///< in a pool: the number of the worker that last had it; 0: none had
};

/// Returns a `Submit` that submits a dead letter's message again, with its keys and its own
/// retries. It sets no time to live: the sender's option applies. The actor that sends it gets the
/// answer; the first client was answered before.
inline Submit resubmit(const DeadLetter& letter) {
  return {.message = letter.message,
          .key = letter.key,
          .idempotency_key = letter.idempotency_key,
          .retries = letter.retries};
}

/// Returns the letter for which the hook `on_dead_letter` threw an exception; null if the outbox
/// has it.
BACKOFF_ACTOR_EXPORT const DeadLetter* dead_letter_of(const event::DeadLetterHookFailed& event);

/// Renders a record in one line, with up to 200 bytes of the message, without key and client:
/// `delivery 3 ("order 7") attempts_exhausted after 2.5s, 5 failed attempts: connection refused`.
BACKOFF_ACTOR_EXPORT std::string to_string(const DeadLetter& letter);

/// Shows CAF the parts of the message.
auto inspect(auto& f, DeadLetter& x) {
  return compat::object(f, x, "backoff_actor::DeadLetter", compat::field("id", x.id),
                        compat::enum_field("reason", x.reason),
                        compat::field("attempts", x.attempts), compat::field("cause", x.cause),
                        compat::field("age", x.age), compat::field("message", x.message),
                        compat::field("key", x.key), compat::field("client", x.client),
                        compat::field("idempotency_key", x.idempotency_key),
                        compat::field("retries", x.retries), compat::field("worker", x.worker));
}

} // namespace backoff_actor
