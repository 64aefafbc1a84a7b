#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// A message for a sender, with instructions for its delivery:
/// `Submit{.message = caf::make_message(order), .time_to_live = 30s, .key = customer}`.
///
/// The client gets the same answer as for the bare message, unless `answer_when_accepted` is set.
struct Submit {
  caf::message message{}; ///< what the child gets; any message, even a command of the sender

  /// How long the message may wait for its acknowledgement: from now or, if it is to wait for its
  /// time, from then. After that, the sender gives it up, `expired`. 0 or less: it does so at once.
  /// `Duration::max()`: `SenderOptions::time_to_live` applies.
  Duration time_to_live = Duration::max();

  /// How long the message waits before a child may get it. It counts as owed meanwhile. Without
  /// order it holds up nothing. `Ordering::per_key`: others with its key go first, and then it
  /// comes behind them. `Ordering::strict`: what comes after it waits with it. A durable outbox
  /// keeps its time.
  ///
  /// @range 0 and more; a message with another delay is not accepted
  Duration delay{0};

  /// In place of `delay`: the time before which no child may get it, by the clock of the computer
  /// where the sender is. In the past, as 1970 is: at once. If the clock is set afterwards, the
  /// message still waits as long as it was to wait; another process that takes an outbox over goes
  /// by its own clock.
  WallTime not_before{};

  /// `Ordering::per_key` keeps messages with the same key in order. Empty:
  /// `RareSenderOptions::key_of` names the key. Any bytes, but for an outbox that several processes
  /// share: there it is UTF-8 without U+0000, and another one is refused,
  /// `SenderError::not_storable`.
  std::string key{};

  /// The sender makes one delivery of all submissions with the same idempotency key. While the
  /// first submission is owed, a further one joins it and gets its answer. The sender refuses the
  /// further one if `SenderOptions::capacity` is already reached. For
  /// `RareSenderOptions::idempotency_retention` after the acknowledgement, the sender answers a
  /// further one with `SenderError::already_acknowledged`. A durable outbox keeps the keys beyond
  /// the life of the process. Empty: every submission is a delivery of its own. Its bytes are those
  /// of a `key`.
  std::string idempotency_key{};

  /// How the message is retried, if not as its sender says, see `parse_own_retries`:
  /// `max_attempts 5, backoff exponential(2s, x2, cap 10min)`. A durable outbox keeps it. Empty: as
  /// the options of the sender say.
  ///
  /// @errors a message with another text is not accepted. Nor is one with any text by a sender that
  ///         delivers at most once.
  std::string retries{};

  /// The sender answers `Accepted` as soon as it has accepted the message. The client then gets
  /// neither the child's answer nor an error if the sender gives the message up. A message that is
  /// not accepted is still answered with an error.
  bool answer_when_accepted = false;
};

/// A sender's answer to `Submit::answer_when_accepted`.
struct Accepted {
  /// Counts the deliveries of this sender, or of its durable outbox, from 1. 0: the process stands
  /// by, and has handed the message over to the owner of the outbox, see `spawn_owned_sender`.
  std::uint64_t id = 0;
};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, Submit& x) {
  return compat::object(f, x, "backoff_actor::Submit", compat::field("message", x.message),
                        compat::field("time_to_live", x.time_to_live), compat::field("key", x.key),
                        compat::field("idempotency_key", x.idempotency_key),
                        compat::field("retries", x.retries), compat::field("delay", x.delay),
                        compat::field("not_before", x.not_before.since_epoch),
                        compat::field("answer_when_accepted", x.answer_when_accepted));
}
auto inspect(auto& f, Accepted& x) {
  return compat::object(f, x, "backoff_actor::Accepted", compat::field("id", x.id));
}
/// @}

} // namespace backoff_actor
