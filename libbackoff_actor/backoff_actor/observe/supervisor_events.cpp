#include "backoff_actor/observe/supervisor_events.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"

#include <utility>

namespace backoff_actor {

using detail::EventRecord;

namespace supervisor_event {

namespace {

struct DescribeSupervisorEvent {
  using enum Severity;
  EventRecord& it;

  void operator()(const Started&) const { it.is(info, "started", "supervisor started"); }
  void operator()(const ChildAdded& x) const {
    it.is(debug, "child_added", "child ", x.child, " added");
    it.has("child", x.child);
  }
  void operator()(const ChildRemoved& x) const {
    it.is(debug, "child_removed", "child ", x.child, " removed");
    it.has("child", x.child);
  }
  void operator()(const ChildStarted& x) const {
    of_actor(x, x.incarnation == 1 ? debug : info, "child_started", " started");
  }
  void operator()(const StartFailed& x) const {
    of_actor(x, warning, "start_failed", " failed to start", x.cause);
    it.has("cause", x.cause);
  }
  void operator()(const ChildDown& x) const {
    switch (x.ending) {
    case Ending::normal:
      of_actor(x, debug, "child_down", " ended normally");
      break;
    case Ending::shutdown:
      of_actor(x, info, "child_down", " was shut down from outside");
      break;
    case Ending::killed:
      of_actor(x, warning, "child_down", " was killed from outside");
      break;
    case Ending::failed:
      of_actor(x, warning, "child_down", " down", x.cause);
      break;
    }
    it.has("ending", to_string(x.ending), "cause", x.cause);
  }
  void operator()(const ChildToldToEnd& x) const {
    of_actor(x, x.is_killed ? info : debug, "child_told_to_end",
             x.is_killed ? " killed" : " told to end");
    it.has("is_killed", x.is_killed);
  }
  void operator()(const ChildEnded& x) const { of_actor(x, debug, "child_ended", " ended"); }
  void operator()(const ChildAbandoned& x) const {
    of_actor(x, error, "child_abandoned", " has not ended in time and is abandoned");
  }
  void operator()(const AbandonedChildEnded&) const {
    it.is(info, "abandoned_child_ended", "an abandoned child ended after all");
  }
  void operator()(const RestartScheduled& x) const {
    it.is(warning, "restart_scheduled", "restart of child ", x.child, " in ", x.delay, ", ",
          x.failures, x.failures == 1 ? " failure" : " failures in a row");
    it.has("child", x.child, "failures", x.failures, "retry_in_s", x.delay);
  }
  void operator()(const ChildStopped& x) const {
    it.is(info, "child_stopped", "child ", x.child, " stays down");
    it.has("child", x.child);
  }
  void operator()(const ChildGivenUp& x) const {
    it.is(error, "child_given_up", "child ", x.child, " given up", x.cause);
    it.has("child", x.child, "cause", x.cause);
  }
  void operator()(const LimitReached& x) const {
    it.is(error, "limit_reached", "restart limit reached by child ", x.child, x.cause);
    it.has("child", x.child, "cause", x.cause);
  }
  void operator()(const ControlRefused& x) const {
    it.is(warning, "control_refused", "control", x.child.empty() ? "" : " of child ", x.child,
          " refused", x.cause);
    it.has("child", detail::if_any(x.child), "cause", x.cause);
  }
  void operator()(const Stopping& x) const {
    it.is(info, "stopping", "supervisor stopping: ", x.cause);
    it.has("cause", x.cause);
  }
  void operator()(const Stopped&) const { it.is(info, "stopped", "supervisor stopped"); }
  void operator()(const Finishing& x) const {
    it.is(info, "finishing", "supervisor lets its senders finish what is in flight");
    if (x.until != Instant::never()) {
      it.says(" within ", x.until - x.at);
      it.has("within_s", x.until - x.at);
    }
  }

private:
  template <class T, class... Values>
  void of_actor(const T& x, Severity severity, std::string_view name, const Values&... text) const {
    it.is(severity, name, "child ", x.child, " ", x.incarnation, text...);
    it.has("child", x.child, "incarnation", x.incarnation);
  }
};

} // namespace

Instant time_of(const SupervisorEvent& event) {
  return std::visit([](const auto& x) { return x.at; }, event);
}

std::string text_of(const SupervisorEvent& event) {
  return EventRecord{EventRecord::Part::text, event}.text();
}

std::string to_string(const SupervisorEvent& event) {
  return detail::with_name(event.of, text_of(event));
}

} // namespace supervisor_event

Severity severity_of(const SupervisorEvent& event) {
  return EventRecord{EventRecord::Part::severity, event}.severity();
}

void detail::describe(const SupervisorEvent& event, EventRecord& record) {
  record.has_owner("supervisor", event.of.kind, event.of.number);
  std::visit(supervisor_event::DescribeSupervisorEvent{record}, event);
}

// What a compiler makes for each alternative is made here alone: that takes it long.

SupervisorEvent::SupervisorEvent(std::size_t index, void* x) { detail::hold_as(*this, index, x); }

SupervisorEvent::SupervisorEvent() = default;

SupervisorEvent::SupervisorEvent(const SupervisorEvent& other) : variant(), of(other.of) {
  detail::take<variant>(*this, other);
}

SupervisorEvent::SupervisorEvent(SupervisorEvent&& other) noexcept : of(std::move(other.of)) {
  detail::take<variant>(*this, std::move(other));
}

SupervisorEvent& SupervisorEvent::operator=(const SupervisorEvent& other) {
  return *this = SupervisorEvent{other};
}

SupervisorEvent& SupervisorEvent::operator=(SupervisorEvent&& other) noexcept {
  if (this == &other)
    return *this;
  of = std::move(other.of);
  detail::take<variant>(*this, std::move(other));
  return *this;
}

SupervisorEvent::~SupervisorEvent() = default;

} // namespace backoff_actor
