#include "backoff_actor/observe/supervisor_events.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <utility>

namespace backoff_actor::supervisor_event {

namespace {

std::string because(const Cause& cause) { return cause.text.empty() ? "" : ": " + cause.text; }

template <class T>
std::string actor(const T& x) {
  return "child " + x.child + " " + std::to_string(x.incarnation);
}

struct DescribeSupervisorEvent {
  std::string operator()(const Started&) const { return "supervisor started"; }

  std::string operator()(const ChildAdded& x) const { return "child " + x.child + " added"; }

  std::string operator()(const ChildRemoved& x) const { return "child " + x.child + " removed"; }

  std::string operator()(const ChildStarted& x) const { return actor(x) + " started"; }

  std::string operator()(const StartFailed& x) const {
    return actor(x) + " failed to start" + because(x.cause);
  }

  std::string operator()(const ChildDown& x) const {
    switch (x.ending) {
    case Ending::normal:
      return actor(x) + " ended normally";
    case Ending::shutdown:
      return actor(x) + " was shut down from outside";
    case Ending::killed:
      return actor(x) + " was killed from outside";
    case Ending::failed:
      break;
    }
    return actor(x) + " down" + because(x.cause);
  }

  std::string operator()(const ChildToldToEnd& x) const {
    return actor(x) + (x.is_killed ? " killed" : " told to end");
  }

  std::string operator()(const ChildEnded& x) const { return actor(x) + " ended"; }

  std::string operator()(const ChildAbandoned& x) const {
    return actor(x) + " has not ended in time and is abandoned";
  }

  std::string operator()(const AbandonedChildEnded&) const {
    return "an abandoned child ended after all";
  }

  std::string operator()(const RestartScheduled& x) const {
    return "restart of child " + x.child + " in " + backoff_actor::to_string(x.delay) + ", "
           + std::to_string(x.failures) + (x.failures == 1 ? " failure" : " failures in a row");
  }

  std::string operator()(const ChildStopped& x) const { return "child " + x.child + " stays down"; }

  std::string operator()(const ChildGivenUp& x) const {
    return "child " + x.child + " given up" + because(x.cause);
  }

  std::string operator()(const LimitReached& x) const {
    return "restart limit reached by child " + x.child + because(x.cause);
  }

  std::string operator()(const ControlRefused& x) const {
    return "control" + (x.child.empty() ? "" : " of child " + x.child) + " refused"
           + because(x.cause);
  }

  std::string operator()(const Finishing& x) const {
    return std::string{"supervisor lets its senders finish what is in flight"}
           + (x.until == Instant::never() ? ""
                                          : " within " + backoff_actor::to_string(x.until - x.at));
  }

  std::string operator()(const Stopping& x) const { return "supervisor stopping: " + x.cause; }

  std::string operator()(const Stopped&) const { return "supervisor stopped"; }
};

} // namespace

Instant time_of(const SupervisorEvent& event) {
  return std::visit([](const auto& x) { return x.at; }, event);
}

std::string text_of(const SupervisorEvent& event) {
  return detail::one_line(std::visit(DescribeSupervisorEvent{}, event));
}

std::string to_string(const SupervisorEvent& event) {
  return detail::with_name(event.of, text_of(event));
}

} // namespace backoff_actor::supervisor_event

namespace backoff_actor {

// What a compiler makes for each alternative is made here alone: that takes it long.

template <detail::AlternativeOf<SupervisorEvent::variant> T>
SupervisorEvent::SupervisorEvent(T x) : variant(std::in_place_type<T>) {
  *std::get_if<T>(this) = std::move(x);
}

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

template SupervisorEvent::SupervisorEvent(supervisor_event::Started);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildAdded);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildRemoved);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildStarted);
template SupervisorEvent::SupervisorEvent(supervisor_event::StartFailed);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildDown);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildToldToEnd);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildEnded);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildAbandoned);
template SupervisorEvent::SupervisorEvent(supervisor_event::AbandonedChildEnded);
template SupervisorEvent::SupervisorEvent(supervisor_event::RestartScheduled);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildStopped);
template SupervisorEvent::SupervisorEvent(supervisor_event::ChildGivenUp);
template SupervisorEvent::SupervisorEvent(supervisor_event::LimitReached);
template SupervisorEvent::SupervisorEvent(supervisor_event::ControlRefused);
template SupervisorEvent::SupervisorEvent(supervisor_event::Stopping);
template SupervisorEvent::SupervisorEvent(supervisor_event::Stopped);
template SupervisorEvent::SupervisorEvent(supervisor_event::Finishing);

} // namespace backoff_actor
