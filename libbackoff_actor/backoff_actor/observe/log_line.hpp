#pragma once

#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace backoff_actor {

/// How a line of a log is written.
enum class LogFormat : std::uint8_t {
  /// For people: `2026-11-23T07:21:10.123456Z warning billing#17: child 3 down: reset by peer`
  text,
  /// Parts as `key=value`, with quotes where they are needed: `ts=2026-11-23T07:21:10.123456Z
  /// level=warning event=child_down sender=billing instance=17 child=3 cause="reset by peer"`
  logfmt,
  /// The same parts as an object of JSON.
  json,
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(LogFormat format);

/// Renders an event as a line of a log, without a line end, with the time in UTC, the severity and
/// the name of the sender.
///
/// A line of `logfmt` or `json` begins with `ts`, `level` and `event`. If the sender has a name,
/// `sender` and `instance` follow, see `ActorName`. Then come the parts of the event, such as
/// `delivery`, `attempts` or `cause`. Numbers whose key ends in `_s` are seconds.
///
/// `at` is the time of the event by the clock on the wall. An event itself has only a time on the
/// time line of its driver. But a sender calls its hook at the time of the event, so the hook asks
/// the system's clock, as shown at `SenderOptions::on_event`.
///
/// @range years 0 to 9999
BACKOFF_ACTOR_EXPORT std::string line_of(const Event& event, std::chrono::sys_time<Duration> at,
                                         LogFormat format = LogFormat::text);

/// The same for an event of a supervisor, which is `supervisor` and `instance`.
BACKOFF_ACTOR_EXPORT std::string line_of(const SupervisorEvent& event,
                                         std::chrono::sys_time<Duration> at,
                                         LogFormat format = LogFormat::text);

namespace event { // with the events, so that unqualified calls find this function

/// The same for an event of a guard, which has no name.
BACKOFF_ACTOR_EXPORT std::string line_of(const GuardEvent& event,
                                         std::chrono::sys_time<Duration> at,
                                         LogFormat format = LogFormat::text);

} // namespace event

using event::line_of;

namespace detail {

class EventRecord;

/// Renders the head of a line that is for people: time and severity.
BACKOFF_ACTOR_EXPORT std::string head_of_line(Severity severity,
                                              std::chrono::sys_time<Duration> at);

/// Renders the fields of an event as a line of logfmt or JSON.
BACKOFF_ACTOR_EXPORT std::string
line_of_record(const EventRecord& record, std::chrono::sys_time<Duration> at, LogFormat format);

/// Renders a log's own line: that so many lines are missing before it.
BACKOFF_ACTOR_EXPORT std::string
line_of_left_out(std::uint64_t count, std::chrono::sys_time<Duration> at, LogFormat format);

} // namespace detail

} // namespace backoff_actor
