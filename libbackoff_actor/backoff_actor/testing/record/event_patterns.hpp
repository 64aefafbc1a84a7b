#pragma once

/// @file
/// A pattern for every type of event, with the name of the type in snake_case.
///
/// A bare pattern fits all events of its type: `child_down`. A pattern with arguments, in any
/// order, fits the events that match all of them. The type of an argument decides what it means:
///
/// | argument | fits events with | example |
/// | --- | --- | --- |
/// | a number | this delivery | `acknowledged(3)` |
/// | a number, for children | this incarnation | `child_down(2)` |
/// | a number, for `drained` | so many deliveries left | `drained(0)` |
/// | a number, for `unknown_acknowledgement` | this hand-over | `unknown_acknowledgement(7)` |
/// | `incarnation(n)` | this child | `handed_over(1, incarnation(2))` |
/// | `attempts(n)` | so many failed attempts | `acknowledged(1, attempts(2))` |
/// | a span | this delay or latency | `retry_scheduled(10ms)` |
/// | a span, for `refused` | this retry-after of the service | `refused(2s)` |
/// | a span, for `guard_held_back` | this time until the next try | `guard_held_back(1s)` |
/// | an enumerator | this reason | `dead_lettered(DeadLetterReason::expired)` |
/// | a text | a cause whose text contains it | `child_down("High Voltage")` |
///
/// A call does not compile if the events have nothing to compare with an argument. `.of("orders")`
/// narrows the pattern to one sender. `a || b` fits the events of either pattern. `EventPattern`
/// takes any other test.

#include "backoff_actor/testing/record/event_pattern.hpp"

namespace backoff_actor::testing {

// -- all events of a type ----------------------------------------------------------

/// A message became a delivery; number: the delivery.
inline constexpr EventPatternOf<event::Accepted> accepted{"accepted"};

/// A message was not accepted; enumerator: `Refusal`.
inline constexpr EventPatternOf<event::NotAccepted> not_accepted{"not accepted"};

/// The child was made; number: the child.
inline constexpr EventPatternOf<event::ChildStarted> child_started{"child started"};

/// No child could be made; number: the child, text.
inline constexpr EventPatternOf<event::StartFailed> start_failed{"start failed"};

/// The child terminated, for whatever reason; number: the child, text.
inline constexpr EventPatternOf<event::ChildDown> child_down{"child down"};

/// The child did not acknowledge in time; number: the delivery, `incarnation`.
inline constexpr EventPatternOf<event::AckTimedOut> ack_timed_out{"ack timed out"};

/// A child did not end within the grace; number: the child.
inline constexpr EventPatternOf<event::ChildOverdue> child_overdue{"child overdue"};

/// A child that the sender had abandoned has ended; number: the child.
inline constexpr EventPatternOf<event::AbandonedChildEnded> abandoned_child_ended{
  "abandoned child ended"};

/// A living child refused a delivery for now; number: the delivery, span, text.
inline constexpr EventPatternOf<event::Refused> refused{"refused"};

/// A message was accepted for later; number: the delivery.
inline constexpr EventPatternOf<event::Scheduled> scheduled{"scheduled"};

/// A failure started a delay; number: the delivery that waits, 0: the sender or its worker; span:
/// the delay of the backoff or the service.
inline constexpr EventPatternOf<event::RetryScheduled> retry_scheduled{"retry scheduled"};

/// The delay ended.
inline constexpr EventPatternOf<event::DelayEnded> delay_ended{"delay ended"};

/// A delivery was given to the child; number: the delivery, `incarnation`.
inline constexpr EventPatternOf<event::HandedOver> handed_over{"handed over"};

/// The guard did not let a delivery through; enumerator: `HeldBackBy`, span.
inline constexpr EventPatternOf<event::GuardHeldBack> guard_held_back{"guard held back"};

/// The child confirmed a delivery; number: the delivery, `incarnation`, `attempts`, span.
inline constexpr EventPatternOf<event::Acknowledged> acknowledged{"acknowledged"};

/// An acknowledgement named no owed delivery; number: the hand-over.
inline constexpr EventPatternOf<event::UnknownAcknowledgement> unknown_acknowledgement{
  "unknown acknowledgement"};

/// An acknowledgement, or a long enough healthy time of the child, reset the backoff.
inline constexpr EventPatternOf<event::BackOffReset> back_off_reset{"backoff reset"};

/// A delivery was given up; number: the delivery, enumerator: `DeadLetterReason`, `attempts`, text.
inline constexpr EventPatternOf<event::DeadLettered> dead_lettered{"dead-lettered"};

/// A child was told that a delivery is cancelled; number: the delivery, `incarnation`.
inline constexpr EventPatternOf<event::CancelRequested> cancel_requested{"cancel requested"};

/// A delivery was cancelled; number: the delivery, `attempts`.
inline constexpr EventPatternOf<event::Cancelled> cancelled{"cancelled"};

/// A delivery has another payload; number: the delivery, `attempts` before.
inline constexpr EventPatternOf<event::Replaced> replaced{"replaced"};

/// An entry of the calendar is another one.
inline constexpr EventPatternOf<event::CalendarEntryChanged> calendar_entry_changed{
  "calendar entry changed"};

/// Times of an entry of the calendar have come.
inline constexpr EventPatternOf<event::CalendarEntryDue> calendar_entry_due{"calendar entry due"};

/// Another process has offered workers.
inline constexpr EventPatternOf<event::WorkersOffered> workers_offered{"workers offered"};

/// A process that has offered workers has taken them away, or is gone.
inline constexpr EventPatternOf<event::OfferEnded> offer_ended{"offer ended"};

/// The fallback took over; text.
inline constexpr EventPatternOf<event::FellBack> fell_back{"fell back"};

/// The child took over from the fallback.
inline constexpr EventPatternOf<event::CameBack> came_back{"came back"};

/// A limit or the decider ended the sender; text.
inline constexpr EventPatternOf<event::GaveUp> gave_up{"gave up"};

/// The sender was told to pause.
inline constexpr EventPatternOf<event::Paused> paused{"paused"};

/// The sender was told to resume.
inline constexpr EventPatternOf<event::Resumed> resumed{"resumed"};

/// The sender was told to drain.
inline constexpr EventPatternOf<event::DrainBegan> drain_began{"drain began"};

/// A drain ended; number: deliveries left.
inline constexpr EventPatternOf<event::Drained> drained{"drained"};

/// A delivery that an earlier sender had left in the store is owed again; number: the delivery,
/// `attempts`.
inline constexpr EventPatternOf<event::Restored> restored{"restored"};

/// The sender ended, and a delivery stays owed in the store; number: the delivery, `attempts`.
inline constexpr EventPatternOf<event::Suspended> suspended{"suspended"};

/// More changes wait for a failing store than the limit allows; text.
inline constexpr EventPatternOf<event::StoreFellBehind> store_fell_behind{"store fell behind"};

/// The store has taken all waiting changes.
inline constexpr EventPatternOf<event::StoreCaughtUp> store_caught_up{"store caught up"};

/// The store reported something; text.
inline constexpr EventPatternOf<event::StoreNotice> store_notice{"store notice"};

/// The service is down, or it had ten failures; nothing succeeded since.
inline constexpr EventPatternOf<event::NothingSucceeds> nothing_succeeds{"nothing succeeds"};

/// The service does again what it is asked.
inline constexpr EventPatternOf<event::SucceedsAgain> succeeds_again{"succeeds again"};

/// An option does not fit what happens.
inline constexpr EventPatternOf<event::Hint> hint{"hint"};

/// The sender was told to end with a grace, or its supervisor was, and finishes what is in flight.
inline constexpr EventPatternOf<event::Finishing> finishing{"finishing"};
/// The hook `on_dead_letter` threw; number: the delivery.
inline constexpr EventPatternOf<event::DeadLetterHookFailed> dead_letter_hook_failed{
  "dead-letter hook failed"};

/// There are dead letters in the outbox that the sender begins to use.
inline constexpr EventPatternOf<event::DeadLettersLeft> dead_letters_left{"dead letters left"};

/// The sender ended.
inline constexpr EventPatternOf<event::SenderStopped> sender_stopped{"sender stopped"};

// -- special cases of some of them -------------------------------------------------

/// A child terminated without having been told to, unless it stopped normally with nothing owed;
/// number: the child, text.
inline constexpr EventPatternOf<event::ChildDown> child_failed{
  "child failed", [](const event::ChildDown& x) { return x.is_failure; }};

/// A child ended because it was told to, or stopped normally with nothing owed; number: the child,
/// text.
inline constexpr EventPatternOf<event::ChildDown> child_stopped{
  "child stopped", [](const event::ChildDown& x) { return !x.is_failure; }};

/// A child did not end within the grace, and the sender abandoned it; number: the child.
inline constexpr EventPatternOf<event::ChildOverdue> child_abandoned{
  "child abandoned", [](const event::ChildOverdue& x) { return x.is_abandoned; }};

/// A delivery that had been handed over before was given to the child again; number: the delivery,
/// `incarnation`.
inline constexpr EventPatternOf<event::HandedOver> handed_over_again{
  "handed over again", [](const event::HandedOver& x) { return x.again; }};

} // namespace backoff_actor::testing
