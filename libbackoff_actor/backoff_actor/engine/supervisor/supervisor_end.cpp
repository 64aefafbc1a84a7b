// The end of the supervisor: why, and in which order it ends its children.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <string>

namespace backoff_actor {

void SupervisorEngine::Step::operator()(const supervisor_input::Stop& x) {
  stop_all(x.is_unreachable ? QuitReason::unreachable : QuitReason::told, {}, {});
}

namespace {

std::string text_of(supervisor_effect::QuitReason reason, const std::string& id,
                    const Cause& cause) {
  const auto of_child = [&](const std::string& what) {
    return "child " + id + what + (cause.text.empty() ? "" : ": " + cause.text);
  };
  switch (reason) {
  case supervisor_effect::QuitReason::told:
    return "told to stop";
  case supervisor_effect::QuitReason::unreachable:
    return "no handle to it is left";
  case supervisor_effect::QuitReason::auto_shutdown:
    return "significant child " + id + " has done its work";
  case supervisor_effect::QuitReason::start_failed:
    return of_child(" could not be started");
  case supervisor_effect::QuitReason::limit_reached:
    return of_child(" needed one restart more than the restart limit allows");
  case supervisor_effect::QuitReason::child_limit:
    return of_child(" was given up");
  case supervisor_effect::QuitReason::escalated:
    break;
  }
  return of_child(" failed, and the supervisor escalates the failure");
}

} // namespace

void SupervisorEngine::Step::stop_all(QuitReason reason, const Blamed& who, const Cause& cause) {
  if (is_stopping())
    return;
  state_.phase = SupervisorPhase::stopping;
  observe([&] { return supervisor_event::Stopping{now_, text_of(reason, who.id, cause)}; });
  emit(supervisor_effect::BeginStop{reason, who.name, who.id, cause});
  state_.row = {};
  state_.ready.clear();
  state_.held_up_since.reset();
  for (auto at = state_.first; at != none; at = child(at).next) {
    answer_starter(at, SupervisorError::stopping);
    leave_row(at);
    if (child(at).state == ChildState::waiting)
      settle(at, StoppedBecause::done);
    else if (options_.is_dynamic
             && (child(at).state == ChildState::running || child(at).state == ChildState::starting))
      tell_to_end(at, Then::stop);
  }
  state_.to_end = state_.last;
}

void SupervisorEngine::Step::advance_end() {
  if (state_.phase == SupervisorPhase::stopped)
    return;
  auto& at = state_.to_end;
  for (; at != none; at = child(at).previous) {
    const auto state = child(at).state;
    if (state == ChildState::running || state == ChildState::starting)
      tell_to_end(at, Then::stop);
    if (child(at).state == ChildState::ending)
      return;
  }
  state_.phase = SupervisorPhase::stopped;
  observe([&] { return supervisor_event::Stopped{now_}; });
  emit(supervisor_effect::Quit{});
}

} // namespace backoff_actor
