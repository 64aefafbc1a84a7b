#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace backoff_actor {

/// The actions that the engine of an outbox asks of its driver. The driver carries them out in
/// order.
namespace outbox_effect {

/// Give an `outbox_input::Go` once all that waits now was put.
struct GoOn {};

/// Give an `outbox_input::Wake` after this time. Replaces an earlier request.
struct Sleep {
  Duration span; ///< above 0
};

/// Commit these changes, then answer with `outbox_input::Done` or `Failed`.
struct Commit {
  std::span<const StoreChange> changes; ///< valid until the answer
  /// Some burials may be of deliveries that the store does not have, and then change nothing.
  bool are_burials_doubtful = false;
};

/// Tell the server that the owner is alive, then answer with `outbox_input::Done` or `Failed`.
struct Renew {};

/// Let the store do a part of its housekeeping, then answer with `outbox_input::Tidied`.
struct TidyUp {};

/// Report the failure of the last call. It comes unless the changes may fit into smaller commits.
struct ReportFailure {};

/// Tell the sender: all insertions up to a number that were not told of yet are stored, or they
/// could not be.
struct TellInsertions {
  std::uint64_t last_id;        ///< of the last delivery
  std::optional<Cause> failure; ///< why they could not be; none: they are stored
};

/// Tell the sender that a count is stored.
struct TellHandOver {
  change::CountHandOvers count; ///< this one
};

/// Tell the sender that what it has decided of a cancelled delivery is stored: that it is to end,
/// or has ended.
struct TellCancelled {
  std::uint64_t delivery; ///< its number
};

/// Tell the sender that the message of a delivery is another one, or why the store did not take it.
/// Each message is told of once, in the order in which they were put.
struct TellReplaced {
  std::uint64_t delivery;         ///< its number
  std::uint64_t sender;           ///< as `change::SetMessage` had it
  std::optional<Cause> failure{}; ///< why it is not stored; none: it is
};

/// Tell the sender whether more waits for the store than may.
struct TellBehind {
  bool is_behind; ///< whether it does
  Cause failure;  ///< why commits fail, if that is why; else no error
};

/// Tell the sender until when no other process can own the store.
struct TellSure {
  Instant until;        ///< never: no process ever can
  bool is_lost = false; ///< another process owns it
};

} // namespace outbox_effect

/// Any of the effects.
using OutboxEffect =
  std::variant<outbox_effect::GoOn, outbox_effect::Sleep, outbox_effect::Commit,
               outbox_effect::Renew, outbox_effect::TidyUp, outbox_effect::ReportFailure,
               outbox_effect::TellInsertions, outbox_effect::TellHandOver,
               outbox_effect::TellBehind, outbox_effect::TellSure, outbox_effect::TellCancelled,
               outbox_effect::TellReplaced>;

/// What one step asks for, in order. A step appends to it; the driver empties it and uses it again.
using OutboxEffects = std::vector<OutboxEffect>;

} // namespace backoff_actor
