#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The errors that a sender, or whatever else stands before an actor, itself answers to a client, or
/// ends with. The numbers are part of the interface.
enum class SenderError : std::uint8_t {
  /// The outbox holds all that it may; the message was not accepted.
  outbox_full = 1,
  /// The sender was stopped before the delivery was acknowledged. Whether the child had done the
  /// work is not known.
  stopped = 2,
  /// The delivery failed as often as it may.
  attempts_exhausted = 3,
  /// The deadline of the delivery passed before it was acknowledged. Whether the child had done the
  /// work, or still does it, is not known.
  expired = 4,
  /// The outbox was full, and the delivery had to go for a younger one, or was the youngest.
  dropped = 5,
  /// The service asked to be tried again later than the sender may wait.
  retry_after_too_long = 6,
  /// The sender ended because its child failed too often or for too long.
  gave_up = 7,
  /// The sender takes nothing new, until it is told to resume, or because it is to end; the message was
  /// not accepted.
  draining = 8,
  /// The child did not acknowledge in time.
  ack_timeout = 9,
  /// The sender could not make a child.
  start_failed = 10,
  /// The guard of the service did not let the message through, see `held_back_by`. Nothing was done.
  held_back = 11,
  /// No child could be given the message, which may not wait; it was not accepted.
  no_child = 12,
  /// The durable outbox could not store the message; it was not accepted. After an error of the disk
  /// itself it may be delivered all the same, when the outbox is opened the next time.
  not_stored = 13,
  /// The message is of a type that the durable outbox cannot store; it was not accepted.
  not_storable = 14,
  /// The sender ended. The delivery stays owed in its durable outbox, and goes on when a sender uses
  /// that again.
  suspended = 15,
  /// A delivery with this idempotency key was acknowledged already; this one was not accepted.
  already_acknowledged = 16,
};

/// The largest number that an error has.
inline constexpr std::uint8_t last_sender_error = 16;

/// Renders an error as its name and a sentence for people; a number that is none of ours as
/// `unknown sender error`.
BACKOFF_ACTOR_EXPORT std::string to_string(SenderError error);

} // namespace backoff_actor
