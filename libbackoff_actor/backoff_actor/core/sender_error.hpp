#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The errors that a sender, or another actor in front of a child, answers to a client or
/// terminates with. The numbers are part of the interface.
enum class SenderError : std::uint8_t {
  /// The outbox is full; the message was not accepted.
  outbox_full = 1,
  /// The sender was stopped before the delivery was acknowledged. It is not known whether the child
  /// had done the work.
  stopped = 2,
  /// The delivery used up its attempts.
  attempts_exhausted = 3,
  /// The deadline of the delivery passed before it was acknowledged. It is not known whether the
  /// child has done the work or is still doing it.
  expired = 4,
  /// The outbox was full. The sender dropped this delivery for a newer one, or because it was the
  /// newest.
  dropped = 5,
  /// The service asked for a longer wait than the sender allows.
  retry_after_too_long = 6,
  /// The sender ended because its child failed too often or for too long.
  gave_up = 7,
  /// The sender accepts no new messages, either until it is told to resume or because it is about
  /// to end; the message was not accepted.
  draining = 8,
  /// The child did not acknowledge in time.
  ack_timeout = 9,
  /// The sender could not start a child.
  start_failed = 10,
  /// The guard of the service did not let the message through, see `held_back_by`. Nothing was
  /// done.
  held_back = 11,
  /// No child could take the message, and the message may not wait; it was not accepted.
  no_child = 12,
  /// The durable outbox could not store the message; it was not accepted. After a disk error it may
  /// nevertheless be delivered when the outbox is opened again.
  not_stored = 13,
  /// The message is of a type that the durable outbox cannot store; it was not accepted.
  not_storable = 14,
  /// The sender ended. The delivery stays owed in its durable outbox. The next sender that uses
  /// this outbox delivers it.
  suspended = 15,
  /// A delivery with this idempotency key was acknowledged before; this one was not accepted.
  already_acknowledged = 16,
  /// The message has a type that is not registered with CAF, so it cannot be written as bytes: for
  /// the durable outbox, for another node, or to be weighed. It was not accepted; for another node
  /// it was accepted before, and is rejected when it is handed over. Only with CAF 0.17.6.
  unknown_type = 17,
  /// Another process owns the outbox, or nobody does yet; the message was not accepted. The text
  /// names the owner's node.
  not_owner = 18,
  /// The delivery was cancelled, see `Cancel`. If a child had it, it is not known how much of the
  /// work the child has done.
  cancelled = 19,
};

/// The largest number of an error.
inline constexpr std::uint8_t last_sender_error = 19;

/// Renders an error as its name and a sentence for people. An unknown number gives
/// `unknown sender error`.
BACKOFF_ACTOR_EXPORT std::string to_string(SenderError error);

} // namespace backoff_actor
