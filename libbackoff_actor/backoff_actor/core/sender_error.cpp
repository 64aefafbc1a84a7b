#include "backoff_actor/core/sender_error.hpp"

namespace backoff_actor {

std::string to_string(SenderError error) {
  switch (error) {
  case SenderError::outbox_full:
    return "outbox_full: the sender holds all that it may, the message was not accepted";
  case SenderError::stopped:
    return "stopped: the sender was stopped before this delivery was acknowledged";
  case SenderError::attempts_exhausted:
    return "attempts_exhausted: this delivery failed as often as it may";
  case SenderError::expired:
    return "expired: the deadline passed before this delivery was acknowledged";
  case SenderError::dropped:
    return "dropped: the outbox was full, and this delivery had to go";
  case SenderError::retry_after_too_long:
    return "retry_after_too_long: the service asked to be tried again later than the sender may "
           "wait";
  case SenderError::gave_up:
    return "gave_up: the worker failed too often or for too long, and the sender ended";
  case SenderError::draining:
    return "draining: the sender takes nothing new, the message was not accepted";
  case SenderError::ack_timeout:
    return "ack_timeout: the worker did not acknowledge in time";
  case SenderError::start_failed:
    return "start_failed: the worker could not be started";
  case SenderError::held_back:
    return "held_back: the guard lets no such call through to the service now";
  case SenderError::no_child:
    return "no_child: the worker is not there now, the message was not accepted";
  case SenderError::not_stored:
    return "not_stored: the durable outbox could not take the message, it was not accepted";
  case SenderError::not_storable:
    return "not_storable: the durable outbox cannot store messages of this type, it was not "
           "accepted";
  case SenderError::suspended:
    return "suspended: the sender ended, this delivery stays owed in its durable outbox";
  case SenderError::already_acknowledged:
    return "already_acknowledged: a delivery with this idempotency key was acknowledged before";
  }
  return "unknown sender error";
}

} // namespace backoff_actor
