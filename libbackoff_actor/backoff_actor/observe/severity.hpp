#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <cstdint>
#include <string_view>

namespace backoff_actor {

/// How much attention an event needs. A log that keeps `info` and above is silent while nothing
/// fails, no guard holds anything back, and nothing is added, stopped or commanded.
enum class Severity : std::uint8_t {
  debug,   ///< ordinary work: happens for each message, or for each worker that comes and goes
  info,    ///< a change that is expected or good: a command, a recovery, a wait for a guard
  warning, ///< a failure that the library handles: a crash, a timeout, a refusal, a retry
  error,   ///< a loss, or the end of what the library does alone: somebody should look
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Severity severity);

/// Returns how much attention an event of a sender needs:
///
/// - `debug`: `Accepted`, `Scheduled`, `HandedOver`, `Acknowledged`, `Restored`, `Suspended`,
///   `DelayEnded`; `ChildStarted` of the first child; `ChildDown` that is no failure
/// - `info`: `ChildStarted` of later children, `BackOffReset`, `CameBack`, `AbandonedChildEnded`,
///   `GuardHeldBack`, `StoreCaughtUp`, `SucceedsAgain`, `Paused`, `Resumed`,
///   `DrainBegan`, `Finishing`, `SenderStopped`; `Drained` with nothing left
/// - `warning`: `NotAccepted`, `StartFailed`, `AckTimedOut`, `Refused`, `RetryScheduled`,
///   `UnknownAcknowledgement`, `StoreNotice`, `DeadLettersLeft`, `Hint`; `ChildDown` that is a
///   failure; `ChildOverdue` if the sender waits for the child; `Drained` with deliveries left
/// - `error`: `DeadLettered`, `DeadLetterHookFailed`, `NothingSucceeds`, `FellBack`, `GaveUp`,
///   `StoreFellBehind`; `ChildOverdue` if the child is abandoned
BACKOFF_ACTOR_EXPORT Severity severity_of(const Event& event);

/// Returns how much attention an event of a supervisor needs:
///
/// - `debug`: `ChildAdded`, `ChildRemoved`, `ChildEnded`; `ChildStarted` of a child's first actor;
///   `ChildDown` after a normal end; `ChildToldToEnd` that asks
/// - `info`: `Started`, `ChildStopped`, `AbandonedChildEnded`, `Finishing`, `Stopping`, `Stopped`;
///   `ChildStarted` of later actors; `ChildDown` after a shutdown from outside; `ChildToldToEnd`
///   that kills
/// - `warning`: `StartFailed`, `RestartScheduled`, `ControlRefused`; `ChildDown` after a failure or
///   a kill from outside
/// - `error`: `ChildAbandoned`, `ChildGivenUp`, `LimitReached`
BACKOFF_ACTOR_EXPORT Severity severity_of(const SupervisorEvent& event);

namespace event { // with the events, so that unqualified calls find this function

/// Returns how much attention an event of a guard needs:
///
/// - `info`: `BreakerHalfOpened`, `BreakerClosed`, `BudgetRecovered`, `RateReached`, `RateFree`
/// - `warning`: `BreakerIsolated`, `BudgetExhausted`; `BreakerOpened` again, after a failed probe
/// - `error`: `BreakerOpened`
BACKOFF_ACTOR_EXPORT Severity severity_of(const GuardEvent& event);

} // namespace event

using event::severity_of;

} // namespace backoff_actor
