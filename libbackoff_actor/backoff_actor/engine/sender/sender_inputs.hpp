#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/internal/hand_over_id.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/supervision/alternative.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/own_retries.hpp"
#include "backoff_actor/supervision/pool_options.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace backoff_actor {

/// The inputs that a driver gives to a sender's engine. The engine recognises inputs that come too
/// late, twice, or about an incarnation that is gone; they change nothing.
namespace input {

/// What few messages bring.
struct OwnTerms {
  /// How the message is retried; null: as the options say.
  std::shared_ptr<const OwnRetries> retries{};
  /// It is not handed over before; an instant that has passed: at once.
  Instant not_before{Duration::min()};
  /// It was cancelled before its sender ended: it is restored for its end alone.
  bool is_cancelled = false;
  bool wants_letter = false; ///< as `Cancel::wants_letter`
  bool has_note = false;     ///< an earlier child has left a note, which the driver has
};

/// A delivery that an earlier sender left in the store is owed again. The driver gives these in
/// order of their numbers, before `Start` and before any submission. The engine ignores one out of
/// order.
struct Restore {
  std::uint64_t delivery = 0;            ///< its number, above those before it
  std::uint32_t attempts = 0;            ///< failed ones
  std::uint32_t hand_overs = 0;          ///< how often the process ended while a child had it
  Instant submitted_at{};                ///< since when it is owed
  Instant deadline = Instant::never();   ///< when it is to be given up
  std::uint64_t key = 0;                 ///< as `Submit::key`
  std::uint32_t weight = 0;              ///< as `Submit::weight`
  std::shared_ptr<const OwnTerms> own{}; ///< as `Submit::own`
};

/// Begin: start the first child.
struct Start {
  /// The highest number that a delivery in the store ever had: those to come are numbered from
  /// there.
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
  /// Why its driver does not accept it; none: the engine decides.
  std::optional<Refusal> refused{};
  /// It stays where it came from until it is stored, so the end of the sender gives it up no more
  /// than one that is stored; only with `EngineOptions::persist`.
  bool has_source = false;
  /// Null: it brings nothing of the kind.
  std::shared_ptr<const OwnTerms> own{};
};

/// A message that another program has handed over cannot be read. It becomes a dead letter at once,
/// `unreadable`. Only with `EngineOptions::persist`.
struct Unreadable {
  Cause cause; ///< why
};

/// Another client submitted the delivery in `slot` again, and waits for its outcome.
struct Join {
  std::uint32_t slot;     ///< of a delivery that is owed
  std::uint64_t delivery; ///< its number
  /// Whether the client waits only for `effect::Confirm`.
  bool until_stored = false;
};

/// The delivery in `slot` is not to be worked on any more. If a child has it, the child is told,
/// and any answer of the child ends it; after `EngineOptions::kill_grace` the child is told to end.
/// Nobody is charged with that. An acknowledgement that comes before the end of the child counts.
struct Cancel {
  std::uint32_t slot;        ///< of a delivery that is owed
  std::uint64_t delivery;    ///< its number
  bool wants_letter = false; ///< whether it becomes a dead letter
};

/// It is stored what becomes of a cancelled delivery: that it is to end, or has ended. Until then
/// nothing overtakes it, so that it cannot come back behind a younger one.
struct CancelStored {
  std::uint32_t slot;     ///< as `effect::Cancelled` or `effect::DeadLetter` had it
  std::uint64_t delivery; ///< as `effect::Cancelled` or `effect::DeadLetter` had it
};

/// Another payload takes the place of that of the delivery in `slot`, which waits. One that a child
/// has stays as it is.
struct Replace {
  std::uint32_t slot;       ///< of a delivery that is owed
  std::uint64_t delivery;   ///< its number
  std::uint32_t weight = 0; ///< as `Submit::weight`, of the new payload
};

/// The store has answered for all payloads that were put in the place of that of the delivery in
/// `slot`.
struct Replaced {
  std::uint32_t slot;     ///< as `effect::Replace` had it
  std::uint64_t delivery; ///< as `effect::Replace` had it
  std::uint32_t weight;   ///< of the payload that the store has now
  bool is_new;            ///< whether that is a new one; otherwise the store could take none
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

/// The store has fallen behind: more changes wait for it than the limit allows; or it has caught
/// up. The engine hands nothing over meanwhile: the memory is bounded, and a process that dies has
/// little to repeat.
struct StoreBehind {
  bool is_behind; ///< whether the store is behind
  Cause cause{};  ///< why the store fails; no error if it is slow, or has caught up
};

/// Until this instant no other process can own the store, so the engine hands over; from then on it
/// hands over nothing. The last `SureUntil` counts, whether it is later or earlier than the one
/// before.
struct SureUntil {
  Instant until; ///< never: no other process can own the store, ever
};

/// The store gave a notice.
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
  FailureReason reason{};           ///< the class of the failure
};

/// How a child came to its end.
enum class ChildEnd : std::uint8_t {
  /// By itself: it stopped, crashed, or did as it was told.
  own,
  /// Its process takes it away, and has a reason of its own. Nobody is to blame: nobody is charged,
  /// no backoff takes a step, and what the child held is handed over again at once.
  withdrawn,
  /// Its process, or the line to it, has failed. This is as `withdrawn`, but a delivery that the
  /// child had not answered may be the reason. From then on it is a suspect: it goes alone with its
  /// worker. If a child that holds a suspect is lost, that is a crash like any other. So a message
  /// that ends one process after the other is charged and waits, and one that was only unlucky is
  /// not. An error of which the engine did not know yet whether the child survived it is no answer:
  /// the delivery is handed over again.
  lost,
};

/// The child terminated; without an error it stopped normally.
struct ChildDown {
  std::uint32_t incarnation;          ///< which one
  Cause cause;                        ///< the exit reason
  Decision decision = Verdict::retry; ///< with `reject`, the culprit ends
  /// How it came to its end. A child that was told to end, or that has a cancelled delivery, is
  /// charged with nothing whatever this says.
  ChildEnd end = ChildEnd::own;
};

/// A delivery was confirmed.
struct Acknowledged {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  std::uint64_t said = hand_over.value; ///< the id in the child's message, for the event
};

/// An error came back for a hand-over, from the child or, in its place, from the messaging layer.
struct ErrorAnswer {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  Cause cause;          ///< compared with that of a crash
  /// Whether the messaging layer reports that nobody answered: the receiver was gone or forgot the
  /// request.
  bool is_bounce;
  /// Whether it is already sure that this is not a crash of the child. Then the engine need not
  /// wait.
  bool is_settled;
  /// What the engine does if the error turns out to be the child's answer.
  Decision decision = Verdict::reject;
  /// Whether the engine reports a failure of the service to the guard if this error ends the
  /// delivery. A retried error always counts as one, unless it is somebody else's fault.
  bool is_service_failure = false;
};

/// The child answered a probe, so it survived everything that it said before.
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
  Blame blame = Blame::unknown;         ///< as the child says
  std::uint64_t said = hand_over.value; ///< the id in the child's message, for the event
  FailureReason reason{};               ///< the class of the failure
};

/// The child refused a delivery for good.
struct Rejected {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  Cause cause;          ///< why
  std::uint64_t said = hand_over.value; ///< the id in the child's message, for the event
};

/// The child is still working on the delivery: its ack timeout begins anew.
struct Working {
  /// In bytes. The engine ignores a larger note.
  static constexpr std::size_t largest_note = 64 * 1024;

  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  std::uint64_t said = hand_over.value; ///< the id in the child's message, for the event
  std::string note{}; ///< how far it is, for the next child that gets the delivery; empty: none
};

/// Look at the clock. Harmless at any time.
struct Wake {};

/// The guard was closed by hand. Engines that it held back come back within the spread.
struct GuardClosed {
  Duration spread{0}; ///< over all engines that share the guard
};

/// End all delays now, whatever caused them, and ask the guard anew. Only a wait for the rate of
/// the guard goes on.
struct RetryNow {};

/// Treat the child as healthy: reset the backoff and the limits. A running delay goes on.
struct Reset {};

/// Hand over nothing more. Delays, deadlines and ack timeouts run on.
struct Pause {};

/// Hand over again, and accept again.
struct Resume {};

/// The pool is to have another number of workers. The engine adds those that are missing at once.
/// Workers above the most finish what they hold, and leave: first those that can be given nothing,
/// then idle ones. With 0 at the most, the kind has no worker until the next `Resize`.
struct Resize {
  std::uint16_t kind;  ///< the index of their kind
  WorkerCount workers; ///< from now on
};

/// A worker of the pool is to finish what it holds, and to leave. If its kind then has fewer
/// workers than the least, another takes its place. If it was the last of all, and something is
/// owed, another takes its place with the next input.
struct RetireWorker {
  std::uint16_t worker; ///< its number, from 1
};

/// Accept nothing new, and say when nothing is owed any more.
struct Drain {
  std::uint32_t ticket; ///< goes back in `effect::Drained`
  /// When to say what is left, and to accept again; never, if it may take for ever.
  Instant deadline = Instant::never();
};

/// Finish what is in flight, and begin nothing new: accept, hand over, retry and start nothing.
/// What fails meanwhile is charged as always, and stays owed. If there are several, the earliest
/// deadline holds. The engine ends all children that are still there at the deadline, also after a
/// `Stop`.
struct Finish {
  /// When the time to finish and to end is over; never: there is no limit.
  Instant deadline = Instant::never();
  /// Whether the sender then ends, as with a timed `Stop`: once nothing is in flight, and at the
  /// deadline at the latest. If not, the engine reports `effect::Finished`, and waits for a `Stop`.
  bool ends = true;
};

/// End. The engine asks the children to end, takes their last answers, and then gives up all owed
/// deliveries that are not stored. It accepts and hands over nothing new meanwhile.
struct Stop {
  /// Whether the engine limits the time of its children. If so, it tells them to end after
  /// `EngineOptions::kill_grace`, and abandons them after the same time again. If not, the
  /// requester limits the time, with `Kill`.
  bool is_timed = true;
};

/// End now: as `Stop`, but tell the children to end, and wait for none.
struct Kill {};

} // namespace input

/// Any of the inputs; what `SenderEngine::step` takes.
struct BACKOFF_ACTOR_EXPORT Input
  : std::variant<input::Start, input::Submit, input::Persisted, input::ChildStarted,
                 input::StartFailed, input::ChildDown, input::Acknowledged, input::ErrorAnswer,
                 input::ChildAlive, input::Nacked, input::Rejected, input::Working, input::Wake,
                 input::GuardClosed, input::RetryNow, input::Reset, input::Pause, input::Resume,
                 input::Drain, input::Stop, input::NotPersisted, input::Restore, input::Join,
                 input::Kill, input::StoreBehind, input::StoreNotice, input::Finish, input::Resize,
                 input::RetireWorker, input::SureUntil, input::Unreadable, input::Cancel,
                 input::Replace, input::Replaced, input::CancelStored> {
  /// Holds an input.
  template <detail::AlternativeOf<variant> T>
  Input(T x);
  Input(const Input& other);                ///< copies
  Input(Input&& other) noexcept;            ///< moves
  Input& operator=(const Input& other);     ///< copies
  Input& operator=(Input&& other) noexcept; ///< moves
  ~Input();                                 ///< destroys what it holds
};

} // namespace backoff_actor
