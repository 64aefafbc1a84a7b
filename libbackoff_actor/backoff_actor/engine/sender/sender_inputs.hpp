#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"
#include "backoff_actor/supervision/decider.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace backoff_actor {

/// What the driver of a sender's engine tells it. Inputs that come too late, twice, or about an
/// incarnation that is gone are known as such and change nothing.
namespace input {

/// A delivery that an earlier sender left in the store is owed again. Those are told in order of
/// their numbers, before `Start` and before any submission; one that is out of order is not taken.
struct Restore {
  std::uint64_t delivery = 0;          ///< its number, above those before it
  std::uint32_t attempts = 0;          ///< failed ones
  std::uint32_t hand_overs = 0;        ///< how often the process ended while a child had it
  Instant submitted_at{};              ///< since when it is owed
  Instant deadline = Instant::never(); ///< when it is to be given up
  std::uint64_t key = 0;               ///< as that of `Submit`
  std::uint32_t weight = 0;            ///< as that of `Submit`
};

/// Begin: start the first child.
struct Start {
  /// The highest number that a delivery in the store ever had: those to come are numbered from there.
  std::uint64_t last_delivery = 0;
};

/// A message is to be delivered.
struct Submit {
  /// When it is to be given up; never, if it may wait for ever.
  Instant deadline = Instant::never();
  /// Those with the same are kept in order by `Ordering::per_key`; 0: none.
  std::uint64_t key = 0;
  /// What it adds to the fill of the outbox, see `EngineOptions::capacity_bytes`.
  std::uint32_t weight = 0;
  /// Its key, its weight, or whether it is the last could not be told: it is not accepted.
  bool is_unusable = false;
  /// The sender is to end with the child that is given this, or now if there is none; only with
  /// `Guarantee::at_most_once`.
  bool is_final_stop = false;
};

/// Somebody submitted the delivery in `slot` once more, and waits for what becomes of it.
struct Join {
  std::uint32_t slot;     ///< of a delivery that is owed
  std::uint64_t delivery; ///< its number
  /// Whether nothing more than `effect::Confirm` is waited for.
  bool until_stored = false;
};

/// The store has taken the delivery in `slot`.
struct Persisted {
  std::uint32_t slot;     ///< as `effect::Persist` had it
  std::uint64_t delivery; ///< as `effect::Persist` had it
};

/// The store could not take the delivery in `slot`, which ends: `not_stored`.
struct NotPersisted {
  std::uint32_t slot;     ///< as `effect::Persist` had it
  std::uint64_t delivery; ///< as `effect::Persist` had it
  Cause cause;            ///< why
};

/// More changes wait for a store that fails than may, or no longer. Nothing is handed over meanwhile: what a
/// child does could not be written down.
struct StoreBehind {
  bool is_behind; ///< whether they do
  Cause cause{};  ///< what the store fails of; empty if it does not
};

/// The store has something to tell.
struct StoreNotice {
  std::string text; ///< for people
};

/// The child that `effect::StartChild` asked for is there.
struct ChildStarted {
  std::uint32_t incarnation; ///< as `effect::StartChild` had it
};

/// The child that `effect::StartChild` asked for could not be made.
struct StartFailed {
  std::uint32_t incarnation;        ///< as `effect::StartChild` had it
  Cause cause;                      ///< why; counts as an error whatever its code
  Verdict verdict = Verdict::retry; ///< `reject` is as `retry`: no delivery was concerned
};

/// The child terminated; without an error it stopped normally.
struct ChildDown {
  std::uint32_t incarnation;        ///< which one
  Cause cause;                      ///< the exit reason
  Verdict verdict = Verdict::retry; ///< with `reject`, the culprit ends
};

/// A delivery was confirmed.
struct Acknowledged {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  std::uint64_t said = hand_over.value; ///< what the child called it, for the event
};

/// An error came back for a hand-over, from the child or from the messaging layer in its stead.
struct ErrorAnswer {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  Cause cause;          ///< compared with that of a crash
  /// The messaging layer's word that nobody answered: the receiver was gone or forgot the request.
  bool is_bounce;
  /// Whether it is sure already that this is no crash of the child, so that nothing needs to be
  /// waited for.
  bool is_settled;
  /// What becomes of it if the child turns out to have meant it.
  Decision decision = Verdict::reject;
  /// What the guard is told if this is the delivery's end: whether the service failed. If it is
  /// retried, it did.
  bool is_service_failure = false;
};

/// The child answered a probe, and so was alive after all that it said before.
struct ChildAlive {
  std::uint32_t incarnation; ///< as `effect::Probe` had it
  std::uint32_t probe;       ///< as `effect::Probe` had it
};

/// The child refused a delivery for now.
struct Nacked {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  Cause cause;          ///< why
  /// How long the service asked to be left alone, from now.
  std::optional<Duration> retry_after{};
  /// Whether it was given back without an answer, see `Decision::is_held_back`.
  bool is_held_back = false;
  std::uint64_t said = hand_over.value; ///< what the child called it, for the event
};

/// The child refused a delivery for good.
struct Rejected {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  Cause cause;          ///< why
  std::uint64_t said = hand_over.value; ///< what the child called it, for the event
};

/// The child is still at it: its time begins anew.
struct Working {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  std::uint64_t said = hand_over.value; ///< what the child called it, for the event
};

/// Look at the clock. Harmless at any time.
struct Wake {};

/// The guard was closed by hand: who was held back comes back within the spread.
struct GuardClosed {
  Duration spread{0}; ///< of all who share the guard
};

/// End the delays now, whoever asked for them, and ask the guard anew.
struct RetryNow {};

/// Take the child for healthy: the backoff and the limits begin anew. A delay that runs goes on.
struct Reset {};

/// Hand over nothing more; delays, deadlines and the time to acknowledge run on.
struct Pause {};

/// Hand over again, and accept again.
struct Resume {};

/// Accept nothing new, and say when nothing is owed any more.
struct Drain {
  std::uint32_t ticket; ///< goes back in `effect::Drained`
  /// When to say what is left, and to accept again; never, if it may take for ever.
  Instant deadline = Instant::never();
};

/// End: ask the children to end, take what they still answer, and then give up what is owed, unless it is
/// stored. Nothing new is accepted or handed over meanwhile.
struct Stop {
  /// Whether children that do not end are told to after `EngineOptions::kill_grace`, and are abandoned
  /// after as much time again. If not, whoever asked sees to it with `Kill`.
  bool is_timed = true;
};

/// End now: as `Stop`, but tell the children to end, and wait for nobody.
struct Kill {};

} // namespace input

/// Any of the inputs; what `SenderEngine::step` takes.
using Input =
  std::variant<input::Start, input::Submit, input::Persisted, input::ChildStarted,
               input::StartFailed, input::ChildDown, input::Acknowledged, input::ErrorAnswer,
               input::ChildAlive, input::Nacked, input::Rejected, input::Working, input::Wake,
               input::GuardClosed, input::RetryNow, input::Reset, input::Pause, input::Resume,
               input::Drain, input::Stop, input::NotPersisted, input::Restore, input::Join,
               input::Kill, input::StoreBehind, input::StoreNotice>;

} // namespace backoff_actor
