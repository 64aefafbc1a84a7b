#include "backoff_actor/core/sender_error.hpp"

namespace backoff_actor {

std::string to_string(SenderError error) {
  switch (error) {
  case SenderError::outbox_full:
    return "outbox_full: the sender did not accept the message, because its outbox is full";
  case SenderError::stopped:
    return "stopped: the sender was stopped before this delivery was acknowledged";
  case SenderError::attempts_exhausted:
    return "attempts_exhausted: this delivery failed as often as max_attempts allows";
  case SenderError::expired:
    return "expired: the deadline passed before this delivery was acknowledged";
  case SenderError::dropped:
    return "dropped: the outbox was full, and the sender dropped this delivery";
  case SenderError::retry_after_too_long:
    return "retry_after_too_long: the service asked for a longer wait than retry_after_ceiling "
           "allows";
  case SenderError::gave_up:
    return "gave_up: the worker failed too often or for too long, and the sender ended";
  case SenderError::draining:
    return "draining: the sender did not accept the message, because it is draining or ending";
  case SenderError::ack_timeout:
    return "ack_timeout: the worker did not acknowledge in time";
  case SenderError::start_failed:
    return "start_failed: the worker could not be started";
  case SenderError::held_back:
    return "held_back: the guard does not let this call through to the service now";
  case SenderError::no_child:
    return "no_child: the message was not accepted, because there is no worker now";
  case SenderError::not_stored:
    return "not_stored: the message was not accepted, because the durable outbox could not store "
           "it";
  case SenderError::not_storable:
    return "not_storable: the message was not accepted, because the durable outbox cannot store "
           "its type";
  case SenderError::suspended:
    return "suspended: the sender ended, and this delivery stays owed in its durable outbox";
  case SenderError::already_acknowledged:
    return "already_acknowledged: a delivery with this idempotency key was acknowledged before";
  }
  return "unknown sender error";
}

} // namespace backoff_actor
