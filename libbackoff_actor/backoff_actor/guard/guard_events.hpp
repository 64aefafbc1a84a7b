#pragma once

#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <functional>
#include <string>
#include <variant>

namespace backoff_actor {

namespace event {

/// The circuit breaker opened: the service failed too often, or failed a probe.
struct BreakerOpened {
  Instant at;        ///< of the failure
  Duration open_for; ///< how long nothing goes through
  bool was_probed;   ///< whether it was a probe that failed
};

/// The breaker's open time is over, and the first probe goes through.
struct BreakerHalfOpened {
  Instant at; ///< of the probe
};

/// The breaker closed: everything goes through.
struct BreakerClosed {
  Instant at;       ///< of the probe's success, or of the call of `close`
  bool was_by_hand; ///< whether it was `close`; otherwise probes succeeded
};

/// Somebody isolated the service.
struct BreakerIsolated {
  Instant at; ///< of the call of `isolate`
};

/// The guard held back a retry, because there were too many recently. Reported only for the first
/// one in a row.
struct BudgetExhausted {
  Instant at; ///< when it was asked for
};

/// A retry went through again.
struct BudgetRecovered {
  Instant at; ///< when it was asked for
};

/// The guard held back a call, because there were too many recently. Reported only for the first
/// one in a row: the next one is reported after `RateFree`.
struct RateReached {
  Instant at; ///< when the call was asked for
};

/// A call went through, and the rate had held none back for some time: for one second, or as long
/// as it takes to fill the rate up again, if that is longer. The time begins with the last turn
/// that a caller was given.
struct RateFree {
  Instant at;    ///< when the call was asked for
  Instant since; ///< when `RateReached` was reported
};

} // namespace event

/// What happened to a guard: a change of its state.
using GuardEvent =
  std::variant<event::BreakerOpened, event::BreakerHalfOpened, event::BreakerClosed,
               event::BreakerIsolated, event::BudgetExhausted, event::BudgetRecovered,
               event::RateReached, event::RateFree>;

/// The one hook of a guard, called after the change. It must not block, because every caller waits
/// for it. What it captures must live as long as the guard, which all of its users share: as long
/// as the actor system, if senders use it. `SharedQueue` has a hook that may outlive everything.
///
/// @errors if it throws, the guard goes on. The first exception of the hook of a `SharedGuard` is a
///         line on the error stream.
/// @thread that of the caller whose call made the change
using GuardHook = std::function<void(const GuardEvent&)>;

namespace event { // with the events, so that unqualified calls find these functions

/// Returns when the event happened.
BACKOFF_ACTOR_EXPORT Instant time_of(const GuardEvent& event);

/// Renders an event in one line, without its time: `circuit breaker open for 5s`.
BACKOFF_ACTOR_EXPORT std::string to_string(const GuardEvent& event);

/// Returns how much attention an event needs.
BACKOFF_ACTOR_EXPORT Severity severity_of(const GuardEvent& event);

} // namespace event

using event::severity_of;

namespace detail {

class EventRecord;

BACKOFF_ACTOR_EXPORT void describe(const GuardEvent& event, EventRecord& record);

} // namespace detail

} // namespace backoff_actor
