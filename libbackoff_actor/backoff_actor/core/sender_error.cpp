#include "backoff_actor/core/sender_error.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

std::string to_string(SenderError error) {
  constexpr auto names = detail::enum_names<SenderError, 1>({
    "outbox_full: the sender did not accept the message, because its outbox is full",
    "stopped: the sender was stopped before this delivery was acknowledged",
    "attempts_exhausted: this delivery failed as often as max_attempts allows",
    "expired: the deadline passed before this delivery was acknowledged",
    "dropped: the outbox was full, and the sender dropped this delivery",
    "retry_after_too_long: the service asked for a longer wait than retry_after allows",
    "gave_up: the worker failed too often or for too long, and the sender ended",
    "draining: the sender did not accept the message, because it is draining or ending",
    "ack_timeout: the worker did not acknowledge in time",
    "start_failed: the worker could not be started",
    "held_back: the guard does not let this call through to the service now",
    "no_child: the message was not accepted, because there is no worker now",
    "not_stored: the message was not accepted, because the durable outbox could not store it",
    "not_storable: the message was not accepted, because the durable outbox cannot store its type "
    "or its key",
    "suspended: the sender ended, and this delivery stays owed in its durable outbox",
    "already_acknowledged: a delivery with this idempotency key was acknowledged before",
    "unknown_type: the message has a type that is not registered with CAF",
    "not_owner: the message was not accepted, because this process does not own the outbox",
    "cancelled: this delivery was cancelled before it was acknowledged",
  });
  static_assert(names.texts.size() == last_sender_error);
  return std::string{names.of(error, "unknown sender error")};
}

} // namespace backoff_actor
