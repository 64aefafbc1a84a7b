// The end of the supervisor: why, and in which order it ends its children. If it is given time for
// it, those that can first finish what is in flight, all at the same time:
//
//     Finish ─▶ finishing ── all have finished, or Finish::deadline ─┐
//                                                                    ▼
//     Stop, a limit ─────────────────────────────────────────────▶ stopping ── all down ─▶ stopped
//
// While it is stopping, the engine tells one child after the other to end, the last first. From
// `Finish::deadline` on it kills them. If a child still does not end within `kill_grace` after
// that, the order counts no more: the engine tells all that are left.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace backoff_actor {

// -- finishing ------------------------------------------------------------------------

void SupervisorEngine::Step::operator()(const supervisor_input::Finish& x) {
  if (state_.phase == SupervisorPhase::stopped)
    return;
  const auto is_first = !std::exchange(state_.is_to_finish, true);
  const auto is_news = is_first || x.deadline < state_.deadline;
  state_.deadline = std::min(state_.deadline, x.deadline);
  state_.ends_when_finished |= x.ends;
  state_.is_finish_told = false;
  if (!is_closing())
    begin_finish();
  else if (is_news)
    hand_down_deadline();
}

void SupervisorEngine::Step::operator()(const supervisor_input::ChildFinished& x) {
  if (const auto slot = living(x.actor); slot != none)
    state_.finished(slot);
}

void SupervisorEngine::Step::begin_finish() {
  state_.phase = SupervisorPhase::finishing;
  state_.keeps_grace = true;
  observe([&] { return supervisor_event::Finishing{now_, state_.deadline}; });
  forget_plans();
  for (auto at = state_.first; at != none; at = child(at).next) {
    auto& c = child(at);
    stay_down(at);
    if (c.state == ChildState::starting && !c.is_made) {
      tell_to_end(at, Then::stop); // calls off a start that takes its time
    } else if (c.can_finish
               && (c.state == ChildState::starting || c.state == ChildState::running)) {
      not_due(at); // the deadline replaces its start timeout
      c.is_unfinished = true;
      ++state_.unfinished;
    }
  }
  hand_down_deadline();
}

void SupervisorEngine::Step::advance_finish() {
  const auto is_finished = state_.unfinished == 0;
  if (state_.ends_when_finished && (is_finished || state_.deadline <= now_))
    stop_all(QuitReason::told, {}, {});
  else if (is_finished && !std::exchange(state_.is_finish_told, true))
    emit(supervisor_effect::Finished{});
}

// Those that can finish finish by the deadline, and the others that are ending end by it.
void SupervisorEngine::Step::hand_down_deadline() {
  for (auto at = state_.first; at != none; at = child(at).next) {
    const auto& c = child(at);
    const auto is_ending = c.state == ChildState::ending;
    const auto is_there =
      is_ending || c.state == ChildState::starting || c.state == ChildState::running;
    if (is_there && c.can_finish && !c.is_killed)
      emit(supervisor_effect::Finish{state_.actor_of(at), state_.deadline});
    if (is_ending)
      shorten(at, end_of_time(c));
  }
}

// The children that were told to end no longer keep the time until the deadline.
void SupervisorEngine::Step::lose_grace() {
  const auto was_kept = keeps_grace();
  state_.keeps_grace = false;
  if (!was_kept)
    return;
  for (auto at = state_.first; at != none; at = child(at).next) {
    auto& c = child(at);
    if (c.state != ChildState::ending || c.is_killed)
      continue;
    if (std::exchange(c.keeps_grace, false))
      emit(supervisor_effect::TellToEnd{state_.actor_of(at), false});
    shorten(at, end_of_time(c));
  }
}

// -- stopping -------------------------------------------------------------------------

void SupervisorEngine::Step::operator()(const supervisor_input::Stop& x) {
  if (!x.keeps_grace)
    lose_grace();
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
  if (state_.phase >= SupervisorPhase::stopping)
    return;
  state_.phase = SupervisorPhase::stopping;
  observe([&] { return supervisor_event::Stopping{now_, text_of(reason, who.id, cause)}; });
  emit(supervisor_effect::BeginStop{reason, who.name, who.id, cause});
  forget_plans();
  for (auto at = state_.first; at != none; at = child(at).next) {
    stay_down(at);
    if (options_.is_dynamic)
      end_if_up(at);
  }
  state_.all_are_told = options_.is_dynamic;
  state_.to_end = state_.last;
}

void SupervisorEngine::Step::forget_plans() {
  state_.row = {};
  state_.ready.clear();
  state_.held_up_since.reset();
}

// A child that is down is not started any more, and nobody waits for its start.
void SupervisorEngine::Step::stay_down(Slot slot) {
  answer_starter(slot, SupervisorError::stopping);
  leave_row(slot);
  if (child(slot).state == ChildState::waiting)
    settle(slot, StoppedBecause::done);
}

void SupervisorEngine::Step::end_if_up(Slot slot) {
  const auto state = child(slot).state;
  if (state == ChildState::running || state == ChildState::starting)
    tell_to_end(slot, Then::stop);
}

void SupervisorEngine::Step::advance_end() {
  if (state_.phase == SupervisorPhase::stopped)
    return;
  if (end_of_order() <= now_ && !std::exchange(state_.all_are_told, true))
    for (auto at = state_.to_end; at != none; at = child(at).previous)
      end_if_up(at);
  auto& at = state_.to_end;
  for (; at != none; at = child(at).previous) {
    end_if_up(at);
    if (child(at).state == ChildState::ending)
      return;
  }
  state_.phase = SupervisorPhase::stopped;
  observe([&] { return supervisor_event::Stopped{now_}; });
  emit(supervisor_effect::Quit{});
}

} // namespace backoff_actor
