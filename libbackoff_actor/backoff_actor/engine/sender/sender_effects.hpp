#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/internal/hand_over_id.hpp"
#include "backoff_actor/delivery/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor {

/// The actions that a sender's engine asks of its driver. The driver carries them out in order.
namespace effect {

/// The submission was accepted as the delivery in `slot`: keep its payload and client there.
struct Accept {
  std::uint32_t slot;     ///< free until now
  std::uint64_t delivery; ///< its number: 1, 2, 3 ... for this engine
};

/// The submission was not accepted: tell its client.
struct Refuse {
  Refusal reason; ///< what its client is told
};

/// Store the delivery in `slot`, then answer with `input::Persisted` or `input::NotPersisted`. The
/// engine may give the delivery up meanwhile; then the store keeps it as a dead letter.
struct Persist {
  std::uint32_t slot;     ///< goes back in the answer
  std::uint64_t delivery; ///< goes back in the answer: by then the slot may hold another
};

/// The delivery in `slot` is stored: its client may be told that it was accepted.
struct Confirm {
  std::uint32_t slot;     ///< where `Accept` said to keep it
  std::uint64_t delivery; ///< its number
};

/// The stored delivery in `slot` has failed once more and is still owed: store the count of
/// attempts.
struct CountAttempts {
  std::uint32_t slot;     ///< where `Accept` said to keep it
  std::uint64_t delivery; ///< its number
  std::uint32_t attempts; ///< failed ones
};

/// No child has the delivery in `slot` any more, possibly because the delivery has ended. Only with
/// `EngineOptions::max_hand_overs`.
struct GiveBack {
  std::uint32_t slot;     ///< where `Accept` said to keep it; free if it has ended
  std::uint64_t delivery; ///< its number
};

/// The sender ends, and the delivery in `slot` stays owed in the store: tell its client, and forget
/// the slot.
struct Suspend {
  std::uint32_t slot;     ///< free from now on
  std::uint64_t delivery; ///< its number
  std::uint32_t attempts; ///< failed ones
  Instant submitted_at;   ///< since when it is owed
  Instant deadline;       ///< as `input::Submit` or `input::Restore` had it
};

/// Make a child, then answer with `input::ChildStarted` or `input::StartFailed`.
struct StartChild {
  std::uint32_t incarnation; ///< goes back in the answer: by then another may be wanted
  std::uint16_t kind = 0;    ///< the index of its kind, see `EngineOptions::pool`
  std::uint16_t worker = 0;  ///< in a pool: the number of the worker, from 1
};

/// Ask this child to end, and answer with `input::ChildDown` when it has. Its answers until then
/// count.
struct AskToEnd {
  std::uint32_t incarnation; ///< one that is alive
};

/// Tell this child to end, whatever it is doing, and answer with `input::ChildDown` when it has.
struct TellToEnd {
  std::uint32_t incarnation; ///< one that is alive
};

/// Forget this child, which was told to end and does not.
struct Abandon {
  std::uint32_t incarnation; ///< its `input::ChildDown` is still of interest
};

/// End this child; it will not be heard again.
struct StopChild {
  std::uint32_t incarnation; ///< the present one, or one that came too late
};

/// Give the delivery in `slot` to the child.
struct HandOver {
  std::uint32_t slot;        ///< where `Accept` said to keep it
  std::uint64_t delivery;    ///< its number
  std::uint32_t incarnation; ///< which child
  HandOverId hand_over;      ///< goes back with the child's answers
};

/// Ask the child for a sign of life, to be answered with `input::ChildAlive`.
struct Probe {
  std::uint32_t incarnation; ///< goes back in the answer
  std::uint32_t probe;       ///< goes back in the answer
};

/// Keep the error that just came for the delivery in `slot`: it may turn out to be the child's
/// answer.
struct HoldAnswer {
  std::uint32_t slot; ///< of a delivery that the child was given
};

/// The client that just joined the delivery in `slot` is also to be told its outcome.
struct Join {
  std::uint32_t slot; ///< as `input::Join` had it
  bool until_stored;  ///< as `input::Join` had it
};

/// The delivery in `slot` is done: give its client the answer that just came, and forget the slot.
struct Acknowledge {
  std::uint32_t slot;     ///< free from now on
  std::uint64_t delivery; ///< its number
  Instant submitted_at;   ///< since when it was owed
  Instant handed_over_at; ///< when its last wait for an acknowledgement began
};

/// The delivery in `slot` is given up: tell its client, record the dead letter, and forget the
/// slot. If the reason is `rejected`, the client gets the error that is held or that just came.
struct DeadLetter {
  std::uint32_t slot;      ///< free from now on
  DeadLetterReason reason; ///< why
  std::uint32_t attempts;  ///< failed ones
  std::uint64_t delivery;  ///< its number
  Instant submitted_at;    ///< since when it was owed
  /// The failure that ended the delivery, or the last one that this sender charged to it. Neither:
  /// why the sender gave up. If it did not give up: the child's last failure since it last
  /// acknowledged something. Null: none.
  std::shared_ptr<const Cause> cause;
  std::uint16_t worker = 0; ///< in a pool: the number of the worker that last had it; 0: none had
};

/// The delivery in `slot` was cancelled, and no dead letter is wanted: tell its client, store that
/// it is owed no longer, and forget the slot.
struct Cancelled {
  std::uint32_t slot;     ///< free from now on
  std::uint64_t delivery; ///< its number
};

/// The delivery in `slot`, which this child has, was cancelled: tell the child, and store that.
struct TellCancelled {
  std::uint32_t slot;        ///< of an owed delivery
  std::uint64_t delivery;    ///< its number
  std::uint32_t incarnation; ///< which child; it may have been told to end
  HandOverId hand_over;      ///< as `HandOver` had it
  bool wants_letter;         ///< as `input::Cancel` had it
};

/// The delivery in `slot` has another payload from now on: keep and store that, then answer with
/// `input::Replaced`. Without a store there is no answer.
struct Replace {
  std::uint32_t slot;     ///< goes back in the answer
  std::uint64_t delivery; ///< goes back in the answer: by then the slot may hold another
};

/// Keep the note that just came with `input::Working`, in place of an earlier one: each later child
/// that gets the delivery in `slot` gets it, too.
struct KeepNote {
  std::uint32_t slot;     ///< of an owed delivery
  std::uint64_t delivery; ///< its number
};

/// A drain has ended: tell its requester.
struct Drained {
  std::uint32_t ticket; ///< of `input::Drain`
  std::size_t left;     ///< deliveries still owed, at the deadline; else 0
};

/// Nothing is in flight any more, after an `input::Finish` after which the sender does not end:
/// tell its requester.
struct Finished {};

/// Give an `input::Wake` at `at`, or soon if that has passed. Replaces an earlier request.
struct WakeAt {
  Instant at; ///< on the time line of `now`
};

/// The sender has given up: note its exit reason. The sender ends as soon as the engine
/// has ended, see `SenderEngine::has_ended`.
struct Quit {
  bool escalates; ///< whether the error of the failure is the exit reason; see `slot`
  /// Where that error is held; `DeliverySlots::none`: it just came.
  std::uint32_t slot;
  std::shared_ptr<const Cause> cause; ///< of the last failure
};

/// The hook `EngineOptions::on_event` threw an exception: report it. The engine goes on.
struct HookFailed {
  std::string text; ///< of the exception
};

} // namespace effect

/// Any of the effects; a driver carries it out with `std::visit`.
using Effect =
  std::variant<effect::Accept, effect::Refuse, effect::Persist, effect::StartChild,
               effect::TellToEnd, effect::Abandon, effect::StopChild, effect::HandOver,
               effect::Probe, effect::HoldAnswer, effect::Acknowledge, effect::DeadLetter,
               effect::Drained, effect::WakeAt, effect::Quit, effect::Confirm,
               effect::CountAttempts, effect::Suspend, effect::Join, effect::AskToEnd,
               effect::GiveBack, effect::Finished, effect::HookFailed, effect::Cancelled,
               effect::TellCancelled, effect::Replace, effect::KeepNote>;

/// What one step asks for, in order. A step appends to it; the driver empties it and uses it again,
/// so that no step needs to allocate.
using Effects = std::vector<Effect>;

} // namespace backoff_actor
