#pragma once

// The events of a sender. Each is a struct here, an alternative of `Event`, and described in
// events.cpp: from there come its severity, its text and its lines of a log. Its pattern for tests
// is in testing/record/event_patterns.hpp.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/supervision/alternative.hpp"

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace backoff_actor {

/// What happened in a sender, as plain values. `at` is on the time line of the sender's driver. For
/// an actor this is the time line of `SteadyClock`, which has nothing to do with the time of day.
namespace event {

/// A message became a delivery.
struct Accepted {
  Instant at;             ///< of the submission
  std::uint64_t delivery; ///< counts the deliveries of this sender from 1
};

/// The sender did not accept a message.
struct NotAccepted {
  Instant at;      ///< of the submission
  Refusal refusal; ///< why; never `stopped`: a sender that has ended reports nothing
};

/// The child was recreated (or created: incarnation 1).
struct ChildStarted {
  Instant at;                ///< when the child was there
  std::uint32_t incarnation; ///< which child, counted from 1
};

/// A child could not be made.
struct StartFailed {
  Instant at;                ///< when that was known
  std::uint32_t incarnation; ///< which child it would have been
  Cause cause;               ///< what the factory threw, or that it returned no actor
};

/// The child terminated.
struct ChildDown {
  Instant at;                ///< when the sender was told
  std::uint32_t incarnation; ///< which child, counted from 1
  Cause cause;               ///< the exit reason; no error after a normal stop
  /// False if it stopped normally while nothing was owed, if it ended because the sender told it
  /// to, if it was the last child, or if its process took it away or was lost.
  bool is_failure;
};

/// The child did not acknowledge a delivery in time. The sender tells it to end.
struct AckTimedOut {
  Instant at;                ///< when the sender noticed
  std::uint64_t delivery;    ///< the number of its `Accepted`
  std::uint32_t incarnation; ///< which child, counted from 1
};

/// A child that was told to end has not ended within the grace.
struct ChildOverdue {
  Instant at;                ///< the end of the grace
  std::uint32_t incarnation; ///< which child, counted from 1
  bool is_abandoned;         ///< whether the sender abandons it; otherwise the sender waits
};

/// An abandoned child has ended after all.
struct AbandonedChildEnded {
  Instant at;                ///< when the sender was told
  std::uint32_t incarnation; ///< which child, counted from 1
};

/// A living child refused a delivery for now.
struct Refused {
  Instant at;                          ///< when the sender was told, or was sure of it
  std::uint64_t delivery;              ///< the number of its `Accepted`
  Cause cause;                         ///< why
  std::optional<Duration> retry_after; ///< what the service asked for
};

/// A message was accepted that is not to be worked on before its time, see `Submit::delay`.
struct Scheduled {
  Instant at;             ///< when
  std::uint64_t delivery; ///< its number
  Instant not_before;     ///< when its time comes
};

/// A failure is followed by a delay: of the sender or its worker, or of the delivery that failed.
/// One failure may lead to both, see `BackoffBy`.
struct RetryScheduled {
  Instant at;      ///< of the failure, where the delay begins
  Duration delay;  ///< the delay of the backoff, or of the service if that is longer
  Instant due;     ///< when it ends; later than `at + delay` if it begins after another delay
  BackOff backoff; ///< after the step
  std::uint64_t delivery = 0; ///< that waits; 0: the sender, or its worker, waits
};

/// The delay ended. The sender hands owed deliveries over again.
struct DelayEnded {
  Instant at; ///< at or after the `due` of `RetryScheduled`
};

/// A delivery was given to the child.
struct HandedOver {
  Instant at;                ///< when it left the sender
  std::uint64_t delivery;    ///< the number of its `Accepted`
  std::uint32_t incarnation; ///< which child has it now
  bool again;                ///< it was handed over before
};

/// The guard of the service held a delivery back. The sender charges no attempt for that.
struct GuardHeldBack {
  Instant at;        ///< when the guard was asked
  HeldBackBy reason; ///< why
  Instant until;     ///< when it is asked again; `Instant::never()`: when it is closed by hand
};

/// The child confirmed a delivery; its client has the answer.
struct Acknowledged {
  Instant at;                ///< when the sender was told
  std::uint64_t delivery;    ///< the number of its `Accepted`
  std::uint32_t incarnation; ///< of the last hand-over
  std::uint32_t attempts;    ///< failed attempts before this
  Duration latency;          ///< since the submission
  /// Whether the child that confirmed it no longer had it: the sender had taken it back. Another
  /// child may be working on it, or may have done so.
  bool is_late = false;
};

/// A `Sent` or an answer named no owed delivery; or a `Nack`, `Reject` or `Working` did not name
/// the last hand-over of a delivery to the present child. It was late, such as from a former child
/// that was frozen; or it was repeated or forged.
struct UnknownAcknowledgement {
  Instant at; ///< when it came
  std::uint64_t
    hand_over; ///< the id that it named, see `TrackedMsg::id`; for an answer: `HandOverId::value`
};

/// A backoff that had started was reset: by an acknowledgement, or because the child was healthy
/// for long enough.
struct BackOffReset {
  Instant at;      ///< of the acknowledgement, or of the first input after the healthy time
  BackOff backoff; ///< after the reset
};

/// Nothing has succeeded for a while: the service is down, or it had ten failures since the last
/// success. No attempt is charged while the service is down. Only with `max_attempts` and
/// `Charging::Rule::by_evidence`. Comes once before the next success.
struct NothingSucceeds {
  Instant at;             ///< of the last failure
  Instant since;          ///< of the first failure since the last success
  std::uint32_t failures; ///< since then
  std::uint64_t delivery; ///< that failed last; 0: the service is down
  bool is_fallback;       ///< whether it is about the service of the fallback
};

/// The service does again what it is asked, after `NothingSucceeds`.
struct SucceedsAgain {
  Instant at;             ///< of the success
  Instant since;          ///< of the first failure since the last success
  std::uint32_t failures; ///< since then
  bool is_fallback;       ///< whether it is about the service of the fallback
};

/// An option does not fit what happens. Each kind comes once a sender at the most.
struct Hint {
  /// What does not fit.
  enum class About : std::uint8_t {
    /// `Ordering::per_key`, but the message has no key: no order is kept for it.
    no_key,

    /// The delivery was done after its `ack_timeout`. The work takes longer than that, or its
    /// worker should say `Working`.
    short_ack_timeout,

    /// In strict order, the sender failed ten times in a row, and others wait behind the delivery.
    /// It has neither a limit of attempts nor a deadline.
    endless_retries,

    /// The note of a child is larger than `Working::largest_note`, and is not kept.
    large_note,
  };

  Instant at;             ///< when it was noticed
  About about;            ///< what does not fit
  std::uint64_t delivery; ///< that showed it
  std::uint64_t waiting;  ///< with `endless_retries`: how many others wait
};

/// A delivery left without an acknowledgement.
struct DeadLettered {
  Instant at;              ///< when it left the outbox
  std::uint64_t delivery;  ///< the number of its `Accepted`
  DeadLetterReason reason; ///< why nothing more is tried
  std::uint32_t attempts;  ///< failed attempts
  /// The failure that ended the delivery, or the last one that this sender charged to it. Neither:
  /// why the sender gave up. If it did not give up: the child's last failure since it last
  /// acknowledged something.
  Cause cause;
};

/// A delivery that a child has is to be cancelled, see `Cancel`. The child was told, and has
/// `RareSenderOptions::kill_grace` to answer.
struct CancelRequested {
  Instant at;                ///< when
  std::uint64_t delivery;    ///< the number of its `Accepted`
  std::uint32_t incarnation; ///< which child has it
};

/// A delivery left because it was cancelled. One that becomes a dead letter is `DeadLettered`
/// instead.
struct Cancelled {
  Instant at;             ///< when it left the outbox
  std::uint64_t delivery; ///< the number of its `Accepted`
  std::uint32_t attempts; ///< failed attempts
};

/// A delivery that waits has another payload, see `Replace`, and has not failed any more.
struct Replaced {
  Instant at;             ///< when; with a durable outbox: once that is stored
  std::uint64_t delivery; ///< the number of its `Accepted`
  std::uint32_t attempts; ///< failed attempts with the payloads before
};

/// An entry of the sender's calendar is another one, see `Repeat`. One that stays the same is not
/// told.
struct CalendarEntryChanged {
  /// What has become of it.
  enum class What : std::uint8_t { added, changed, removed };

  Instant at;                   ///< when; with a durable outbox: once that is stored, but for
                                ///< one that is removed
  std::string entry;            ///< its name
  What what;                    ///< what has become of it
  std::optional<WallTime> next; ///< when it is due; nothing: it is paused, removed or never due
};

/// Times of an entry of the sender's calendar have come, and messages were submitted for them.
struct CalendarEntryDue {
  Instant at;         ///< when
  std::string entry;  ///< its name
  std::uint64_t runs; ///< how many messages
  WallTime last;      ///< the last of their times
};

/// The child failed too often or for too long: the fallback takes over.
struct FellBack {
  Instant at;  ///< of the last failure
  Cause cause; ///< of the last failure
};

/// The child is well again and takes over from the fallback.
struct CameBack {
  Instant at; ///< when the fallback had nothing in flight any more
};

/// The sender ends, because a limit was reached or the decider said so.
struct GaveUp {
  Instant at;  ///< of the last failure
  Cause cause; ///< of the last failure
};

/// The sender hands nothing over until it is told to resume.
struct Paused {
  Instant at; ///< when the sender was told
};

/// The sender hands over and accepts again.
struct Resumed {
  Instant at; ///< when the sender was told
};

/// The sender began to drain: it accepts nothing new.
struct DrainBegan {
  Instant at; ///< when the sender was told
};

/// A drain ended.
struct Drained {
  Instant at;       ///< when nothing was owed any more, or the deadline
  std::size_t left; ///< deliveries still owed, at the deadline; else 0
};

/// A delivery that an earlier sender had left in the store is owed again.
struct Restored {
  Instant at;             ///< when this sender began
  std::uint64_t delivery; ///< the number that it had there
  std::uint32_t attempts; ///< failed attempts before this
};

/// A sender began to use a durable outbox in which there are dead letters: nobody delivers them by
/// itself.
struct DeadLettersLeft {
  Instant at;          ///< when the sender began
  std::string outbox;  ///< `DurableOptions::name`; without one, where the store is
  std::uint64_t count; ///< how many there are
  WallTime oldest;     ///< when the first of them was given up
};

/// The sender ended, and a delivery stays owed in the store.
struct Suspended {
  Instant at;             ///< of the end
  std::uint64_t delivery; ///< the number of its `Accepted` or `Restored`
  std::uint32_t attempts; ///< failed attempts before this
};

/// The store of a durable outbox fails, and more changes wait for it than the limit allows. The
/// sender hands nothing over until the store has taken them.
struct StoreFellBehind {
  Instant at;  ///< when the sender was told
  Cause cause; ///< of the store's last failure
};

/// The store has taken the waiting changes, and the sender hands over again.
struct StoreCaughtUp {
  Instant at; ///< when the sender was told
};

/// The store of a durable outbox gave a notice that is not a failure: other users may read its
/// files, or its log was lost in a crash of the machine.
struct StoreNotice {
  Instant at;       ///< when it was told
  std::string text; ///< for people
};

/// Another process has offered workers, and the pool has taken them, see `offer_workers`.
struct WorkersOffered {
  Instant at;            ///< when the offer came
  std::string process;   ///< CAF's name of its node
  std::uint32_t workers; ///< how many it offers
  std::uint32_t all;     ///< how many all processes offer now
};

/// A process that has offered workers has taken them away, has ended, or cannot be reached any
/// more.
struct OfferEnded {
  Instant at;            ///< when the sender heard of it
  std::string process;   ///< CAF's name of its node
  std::uint32_t workers; ///< how many it has offered; 0: it had taken them away before
  std::uint32_t all;     ///< how many all processes offer now
  std::string reason;    ///< why
};

/// The sender was told to end with a grace, or its supervisor was, while deliveries were in flight:
/// the sender first lets its children finish these.
struct Finishing {
  Instant at;              ///< when the sender was told
  std::uint32_t in_flight; ///< deliveries that a child holds
  Instant until;           ///< the end of the grace; never: there is no limit
};

/// The sender ended. Nothing comes after it but `DeadLetterHookFailed`.
struct SenderStopped {
  Instant at; ///< of the end
};

/// The hook `on_dead_letter` threw an exception. This comes after the `DeadLettered` of the
/// delivery, and for what a sender gives up at its end also after `SenderStopped`.
///
/// The event has the letter itself if no outbox keeps it.
struct DeadLetterHookFailed {
  Instant at;             ///< when it threw
  std::uint64_t delivery; ///< the number of its `Accepted` or `Restored`
  std::string exception;  ///< the text of the exception
  std::string message;    ///< what the child was to get, as text; empty: an outbox has it
  std::any letter;        ///< a `DeadLetter`, see `dead_letter_of`; empty: an outbox has it
};

} // namespace event

/// Any of the events, and the name of its sender. `std::get_if` and `std::visit` tell which event
/// it is; `time_of`, `to_string`, `severity_of` and `line_of` take all.
struct BACKOFF_ACTOR_EXPORT Event
  : std::variant<
      event::Accepted, event::NotAccepted, event::ChildStarted, event::StartFailed,
      event::ChildDown, event::AckTimedOut, event::ChildOverdue, event::AbandonedChildEnded,
      event::Refused, event::Scheduled, event::RetryScheduled, event::DelayEnded, event::HandedOver,
      event::GuardHeldBack, event::Acknowledged, event::UnknownAcknowledgement, event::BackOffReset,
      event::DeadLettered, event::FellBack, event::CameBack, event::GaveUp, event::Paused,
      event::Resumed, event::DrainBegan, event::Drained, event::SenderStopped, event::Restored,
      event::Suspended, event::StoreFellBehind, event::StoreCaughtUp, event::StoreNotice,
      event::Finishing, event::DeadLetterHookFailed, event::DeadLettersLeft, event::NothingSucceeds,
      event::SucceedsAgain, event::Hint, event::CancelRequested, event::Cancelled, event::Replaced,
      event::CalendarEntryChanged, event::CalendarEntryDue, event::WorkersOffered,
      event::OfferEnded> {
  Event(); ///< holds the first kind of event
  /// Holds an event.
  template <detail::AlternativeOf<variant> T>
  Event(T x) : Event(detail::index_of<T, variant>, &x) {}
  Event(const Event& other);                ///< copies
  Event(Event&& other) noexcept;            ///< moves
  Event& operator=(const Event& other);     ///< copies
  Event& operator=(Event&& other) noexcept; ///< moves
  ~Event();                                 ///< destroys what it holds

  ActorName of{};           ///< the sender
  std::uint32_t worker = 0; ///< in a pool: the number of the worker it is about; 0: of none

private:
  Event(std::size_t index, void* x);
};

/// The one hook, called when a decision is made and before it is carried out.
///
/// It must not block. Without a hook no event is made. What it captures must live as long as the
/// actor system, see `SenderOptions`; `SharedQueue` has a hook that may outlive everything.
///
/// @errors if it throws, the sender goes on. The first exception in the life of each sender is a
///         line on the error stream.
/// @thread the sender's. The events of its end (`DeadLettered`, `Suspended`, `SenderStopped` and
///         `DeadLetterHookFailed`) may come in the thread that drops the last handle to the sender.
using EventHook = std::function<void(const Event&)>;

namespace event { // with the events, so that unqualified calls find these functions

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
/// @{
BACKOFF_ACTOR_EXPORT std::string_view to_string(Hint::About about);
BACKOFF_ACTOR_EXPORT std::string_view to_string(CalendarEntryChanged::What what);
/// @}

/// Returns when the event happened, on the time line of the sender's driver.
BACKOFF_ACTOR_EXPORT Instant time_of(const Event& event);

/// Renders an event in one line, without its time and its sender:
/// `child 3 down: Danger, High Voltage!`, or `worker 2: child 3 down: Danger, High Voltage!`.
BACKOFF_ACTOR_EXPORT std::string text_of(const Event& event);

/// Renders an event in one line, without its time, behind the name of its sender if it has one:
/// `billing#17: child 3 down: Danger, High Voltage!`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Event& event);

} // namespace event

using event::text_of;
using event::time_of;
using event::to_string;

/// Returns how much attention an event needs.
BACKOFF_ACTOR_EXPORT Severity severity_of(const Event& event);

namespace detail {

class EventRecord;

BACKOFF_ACTOR_EXPORT void describe(const Event& event, EventRecord& record);

} // namespace detail

} // namespace backoff_actor
