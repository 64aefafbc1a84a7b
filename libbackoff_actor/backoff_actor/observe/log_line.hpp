#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/severity.hpp"

#include <chrono>
#include <string>

namespace backoff_actor {

/// Renders an event as a line of a log, without a line end, with the time in UTC, the severity and
/// the name:
///
///     2026-11-23T07:21:10.123456Z warning billing#17: child 3 down: reset by peer
///
/// `at` is the time of the event by the clock on the wall. An event itself has only a time on the
/// time line of its driver. But a sender calls its hook at the time of the event, so the hook asks
/// the system's clock, as shown at `SenderOptions::on_event`.
///
/// @range years 0 to 9999
BACKOFF_ACTOR_EXPORT std::string line_of(const Event& event, std::chrono::sys_time<Duration> at);

/// The same for an event of a supervisor.
BACKOFF_ACTOR_EXPORT std::string line_of(const SupervisorEvent& event,
                                         std::chrono::sys_time<Duration> at);

namespace event { // with the events, so that unqualified calls find this function

/// The same for an event of a guard, which has no name.
BACKOFF_ACTOR_EXPORT std::string line_of(const GuardEvent& event,
                                         std::chrono::sys_time<Duration> at);

} // namespace event

using event::line_of;

} // namespace backoff_actor
