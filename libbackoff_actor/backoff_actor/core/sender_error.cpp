#include "backoff_actor/core/sender_error.hpp"

#include "backoff_actor/core/enum_names.hpp"

namespace backoff_actor {

std::string to_string(SenderError error) {
  constexpr auto names = detail::enum_names<SenderError, 1>({
    "outbox_full: the sender holds all that it may, the message was not accepted",
    "stopped: the sender was stopped before this delivery was acknowledged",
    "attempts_exhausted: this delivery failed as often as it may",
    "expired: the deadline passed before this delivery was acknowledged",
    "dropped: the outbox was full, and this delivery had to go",
    "retry_after_too_long: the service asked to be tried again later than the sender may wait",
    "gave_up: the worker failed too often or for too long, and the sender ended",
    "draining: the sender takes nothing new, the message was not accepted",
    "ack_timeout: the worker did not acknowledge in time",
    "start_failed: the worker could not be started",
    "held_back: the guard lets no such call through to the service now",
    "no_child: the worker is not there now, the message was not accepted",
    "not_stored: the durable outbox could not take the message, it was not accepted",
    "not_storable: the durable outbox cannot store messages of this type, it was not accepted",
    "suspended: the sender ended, this delivery stays owed in its durable outbox",
    "already_acknowledged: a delivery with this idempotency key was acknowledged before",
  });
  static_assert(names.texts.size() == last_sender_error);
  return std::string{names.of(error, "unknown sender error")};
}

} // namespace backoff_actor
