#pragma once

#include "backoff_actor/engine/supervisor/supervisor_effects.hpp"
#include "backoff_actor/engine/supervisor/supervisor_inputs.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"
#include "lines.hpp"

#include <string>
#include <variant>

// What goes in and out of a supervisor, in words that tell all of it.

namespace backoff_actor::model_test {

inline std::string words(ChildName x) {
  return x.serial == 0 && x.slot == 0 ? "none" : number(x.serial) + "@" + number(x.slot);
}
inline std::string words(const ChildActor& x) {
  return words(x.child) + "." + number(x.incarnation);
}
inline std::string words(const Cause& x) {
  return x.code == 0 && x.text.empty() ? "no cause" : "cause " + number(x.code) + " " + x.text;
}
inline std::string words(Directive x) {
  static const char* const names[] = {"resume", "restart", "stop", "escalate"};
  return names[static_cast<int>(x)];
}
inline std::string words(supervisor_effect::QuitReason x) {
  static const char* const names[] = {"told",         "unreachable",   "auto_shutdown",
                                      "start_failed", "limit_reached", "child_limit",
                                      "escalated"};
  return names[static_cast<int>(x)];
}

// -- effects -----------------------------------------------------------------------------

inline std::string line(const supervisor_effect::KeepChild& x) {
  return "keep child " + words(x.child) + ", ticket " + number(x.ticket);
}
inline std::string line(const supervisor_effect::ForgetChild& x) {
  return "forget child " + words(x.child);
}
inline std::string line(const supervisor_effect::StartChild& x) {
  return "start " + words(x.actor) + (x.asks_if_it_is ? ", and ask" : "");
}
inline std::string line(const supervisor_effect::TellToEnd& x) {
  return "tell " + words(x.actor) + " to end" + (x.keeps_grace ? " by the deadline" : "");
}
inline std::string line(const supervisor_effect::Kill& x) { return "kill " + words(x.actor); }
inline std::string line(const supervisor_effect::Abandon& x) { return "abandon " + words(x.actor); }
inline std::string line(const supervisor_effect::Answer& x) {
  return "answer " + number(x.ticket) + " "
         + (x.error ? to_string(*x.error) : std::string{"that it was done"}) + ", child "
         + words(x.child) + ", " + words(x.cause);
}
inline std::string line(const supervisor_effect::Started&) { return "started"; }
inline std::string line(const supervisor_effect::WakeAt& x) { return "wake at " + describe(x.at); }
inline std::string line(const supervisor_effect::BeginStop& x) {
  return "begin to stop: " + words(x.reason) + ", child " + words(x.child) + " '" + x.id + "', "
         + words(x.cause);
}
inline std::string line(const supervisor_effect::Quit&) { return "quit"; }
inline std::string line(const supervisor_effect::Finish& x) {
  return "let " + words(x.actor) + " finish by " + describe(x.deadline);
}
inline std::string line(const supervisor_effect::Finished&) { return "finished"; }

inline std::string line(const SupervisorEffect& effect) {
  return std::visit([](const auto& x) { return line(x); }, effect);
}

// -- events ------------------------------------------------------------------------------

inline std::string line(const supervisor_event::Started&) { return "Started"; }
inline std::string line(const supervisor_event::ChildAdded& x) { return "ChildAdded " + x.child; }
inline std::string line(const supervisor_event::ChildRemoved& x) {
  return "ChildRemoved " + x.child;
}
inline std::string line(const supervisor_event::ChildStarted& x) {
  return "ChildStarted " + x.child + " " + number(x.incarnation);
}
inline std::string line(const supervisor_event::StartFailed& x) {
  return "StartFailed " + x.child + " " + number(x.incarnation) + ", " + words(x.cause);
}
inline std::string line(const supervisor_event::ChildDown& x) {
  return "ChildDown " + x.child + " " + number(x.incarnation) + " "
         + std::string{to_string(x.ending)} + ", " + words(x.cause);
}
inline std::string line(const supervisor_event::ChildToldToEnd& x) {
  return "ChildToldToEnd " + x.child + " " + number(x.incarnation)
         + (x.is_killed ? ", killed" : "");
}
inline std::string line(const supervisor_event::ChildEnded& x) {
  return "ChildEnded " + x.child + " " + number(x.incarnation);
}
inline std::string line(const supervisor_event::ChildAbandoned& x) {
  return "ChildAbandoned " + x.child + " " + number(x.incarnation);
}
inline std::string line(const supervisor_event::AbandonedChildEnded&) {
  return "AbandonedChildEnded";
}
inline std::string line(const supervisor_event::RestartScheduled& x) {
  return "RestartScheduled " + x.child + " in " + to_string(x.delay) + ", failures "
         + number(x.failures);
}
inline std::string line(const supervisor_event::ChildStopped& x) {
  return "ChildStopped " + x.child;
}
inline std::string line(const supervisor_event::ChildGivenUp& x) {
  return "ChildGivenUp " + x.child + ", " + words(x.cause);
}
inline std::string line(const supervisor_event::LimitReached& x) {
  return "LimitReached " + x.child + ", " + words(x.cause);
}
inline std::string line(const supervisor_event::ControlRefused& x) {
  return "ControlRefused " + x.child + ", " + words(x.cause);
}
inline std::string line(const supervisor_event::Finishing& x) {
  return "Finishing by " + describe(x.until);
}
inline std::string line(const supervisor_event::Stopping&) { return "Stopping"; } // any text
inline std::string line(const supervisor_event::Stopped&) { return "Stopped"; }

/// With the instant, which is told in every event.
inline std::string line(const SupervisorEvent& event) {
  return std::visit([](const auto& x) { return describe(x.at) + " " + line(x); }, event);
}

// -- inputs ------------------------------------------------------------------------------

inline std::string line(const supervisor_input::Start&) { return "Start"; }
inline std::string line(const supervisor_input::StartChild& x) {
  return "StartChild '" + x.entry.id + "', ticket " + number(x.ticket);
}
inline std::string line(const supervisor_input::TerminateChild& x) {
  return "TerminateChild '" + x.id + "', ticket " + number(x.ticket);
}
inline std::string line(const supervisor_input::RestartChild& x) {
  return "RestartChild '" + x.id + "', ticket " + number(x.ticket);
}
inline std::string line(const supervisor_input::DeleteChild& x) {
  return "DeleteChild '" + x.id + "', ticket " + number(x.ticket);
}
inline std::string line(const supervisor_input::RetryNow& x) {
  return "RetryNow '" + x.id + "', ticket " + number(x.ticket);
}
inline std::string line(const supervisor_input::ChildMade& x) {
  return "ChildMade " + words(x.actor) + (x.can_finish ? ", can finish" : "");
}
inline std::string line(const supervisor_input::ChildUp& x) { return "ChildUp " + words(x.actor); }
inline std::string line(const supervisor_input::StartFailed& x) {
  return "StartFailed " + words(x.actor) + ", " + words(x.cause) + ", " + words(x.directive);
}
inline std::string line(const supervisor_input::ChildNotUp& x) {
  return "ChildNotUp " + words(x.actor) + ", " + words(x.cause) + ", " + words(x.directive);
}
inline std::string line(const supervisor_input::ChildDown& x) {
  return "ChildDown " + words(x.actor) + " " + std::string{to_string(x.ending)} + ", "
         + words(x.cause) + ", " + words(x.directive);
}
inline std::string line(const supervisor_input::Wake&) { return "Wake"; }
inline std::string line(const supervisor_input::Stop& x) {
  return std::string{"Stop"} + (x.is_unreachable ? ", unreachable" : "")
         + (x.keeps_grace ? ", grace kept" : "");
}
inline std::string line(const supervisor_input::ChildFinished& x) {
  return "ChildFinished " + words(x.actor);
}
inline std::string line(const supervisor_input::Finish& x) {
  return std::string{"Finish"} + (x.ends ? "" : " until told") + ", by " + describe(x.deadline);
}

inline std::string line(const SupervisorInput& input) {
  return std::visit([](const auto& x) { return line(x); }, input);
}

} // namespace backoff_actor::model_test
