#include "backoff_actor/observe/severity.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

#include <variant>

namespace backoff_actor {

namespace {

// A member for each event: a new event must take a side to compile.
struct SeverityOfSenderEvent {
  using enum Severity;

  Severity operator()(const event::Accepted&) const { return debug; }
  Severity operator()(const event::NotAccepted&) const { return warning; }
  Severity operator()(const event::ChildStarted& x) const {
    return x.incarnation == 1 ? debug : info;
  }
  Severity operator()(const event::StartFailed&) const { return warning; }
  Severity operator()(const event::ChildDown& x) const { return x.is_failure ? warning : debug; }
  Severity operator()(const event::AckTimedOut&) const { return warning; }
  Severity operator()(const event::ChildOverdue& x) const {
    return x.is_abandoned ? error : warning;
  }
  Severity operator()(const event::AbandonedChildEnded&) const { return info; }
  Severity operator()(const event::Refused&) const { return warning; }
  Severity operator()(const event::Scheduled&) const { return debug; }
  Severity operator()(const event::RetryScheduled&) const { return warning; }
  Severity operator()(const event::DelayEnded&) const { return debug; }
  Severity operator()(const event::HandedOver&) const { return debug; }
  Severity operator()(const event::GuardHeldBack&) const { return info; }
  Severity operator()(const event::Acknowledged&) const { return debug; }
  Severity operator()(const event::UnknownAcknowledgement&) const { return warning; }
  Severity operator()(const event::BackOffReset&) const { return info; }
  Severity operator()(const event::DeadLettered&) const { return error; }
  Severity operator()(const event::FellBack&) const { return error; }
  Severity operator()(const event::CameBack&) const { return info; }
  Severity operator()(const event::GaveUp&) const { return error; }
  Severity operator()(const event::Paused&) const { return info; }
  Severity operator()(const event::Resumed&) const { return info; }
  Severity operator()(const event::DrainBegan&) const { return info; }
  Severity operator()(const event::Drained& x) const { return x.left == 0 ? info : warning; }
  Severity operator()(const event::SenderStopped&) const { return info; }
  Severity operator()(const event::Restored&) const { return debug; }
  Severity operator()(const event::Suspended&) const { return debug; }
  Severity operator()(const event::StoreFellBehind&) const { return error; }
  Severity operator()(const event::StoreCaughtUp&) const { return info; }
  Severity operator()(const event::StoreNotice&) const { return warning; }
  Severity operator()(const event::Finishing&) const { return info; }
  Severity operator()(const event::DeadLetterHookFailed&) const { return error; }
  Severity operator()(const event::DeadLettersLeft&) const { return warning; }
  Severity operator()(const event::NothingSucceeds&) const { return error; }
  Severity operator()(const event::SucceedsAgain&) const { return info; }
  Severity operator()(const event::Hint&) const { return warning; }
};

struct SeverityOfSupervisorEvent {
  using enum Severity;

  Severity operator()(const supervisor_event::Started&) const { return info; }
  Severity operator()(const supervisor_event::ChildAdded&) const { return debug; }
  Severity operator()(const supervisor_event::ChildRemoved&) const { return debug; }
  Severity operator()(const supervisor_event::ChildStarted& x) const {
    return x.incarnation == 1 ? debug : info;
  }
  Severity operator()(const supervisor_event::StartFailed&) const { return warning; }
  Severity operator()(const supervisor_event::ChildDown& x) const {
    switch (x.ending) {
    case Ending::normal:
      return debug;
    case Ending::shutdown:
      return info;
    case Ending::killed:
    case Ending::failed:
      break;
    }
    return warning;
  }
  Severity operator()(const supervisor_event::ChildToldToEnd& x) const {
    return x.is_killed ? info : debug;
  }
  Severity operator()(const supervisor_event::ChildEnded&) const { return debug; }
  Severity operator()(const supervisor_event::ChildAbandoned&) const { return error; }
  Severity operator()(const supervisor_event::AbandonedChildEnded&) const { return info; }
  Severity operator()(const supervisor_event::RestartScheduled&) const { return warning; }
  Severity operator()(const supervisor_event::ChildStopped&) const { return info; }
  Severity operator()(const supervisor_event::ChildGivenUp&) const { return error; }
  Severity operator()(const supervisor_event::LimitReached&) const { return error; }
  Severity operator()(const supervisor_event::ControlRefused&) const { return warning; }
  Severity operator()(const supervisor_event::Stopping&) const { return info; }
  Severity operator()(const supervisor_event::Stopped&) const { return info; }
  Severity operator()(const supervisor_event::Finishing&) const { return info; }
};

struct SeverityOfGuardEvent {
  using enum Severity;

  Severity operator()(const event::BreakerOpened& x) const {
    return x.was_probed ? warning : error;
  }
  Severity operator()(const event::BreakerHalfOpened&) const { return info; }
  Severity operator()(const event::BreakerClosed&) const { return info; }
  Severity operator()(const event::BreakerIsolated&) const { return warning; }
  Severity operator()(const event::BudgetExhausted&) const { return warning; }
  Severity operator()(const event::BudgetRecovered&) const { return info; }
  Severity operator()(const event::RateReached&) const { return info; }
  Severity operator()(const event::RateFree&) const { return info; }
};

} // namespace

std::string_view to_string(Severity severity) {
  constexpr auto names = detail::enum_names<Severity>({"debug", "info", "warning", "error"});
  return names.of(severity);
}

Severity severity_of(const Event& event) { return std::visit(SeverityOfSenderEvent{}, event); }

Severity severity_of(const SupervisorEvent& event) {
  return std::visit(SeverityOfSupervisorEvent{}, event);
}

Severity event::severity_of(const GuardEvent& event) {
  return std::visit(SeverityOfGuardEvent{}, event);
}

} // namespace backoff_actor
