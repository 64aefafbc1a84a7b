// The order of starts and ends: rows, the end of the supervisor, the clock.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace backoff_actor {

void SupervisorEngine::Step::operator()(const supervisor_input::Wake&) {
  if (now_ >= state_.wake_at)
    state_.wake_at = Instant::never();
  state_.starts = 0;
  state_.held_up_since.reset();
  while (!state_.due.empty() && state_.due.top_key().first <= now_) {
    const auto slot = state_.due.top();
    state_.due.pop();
    auto& c = child(slot);
    if (c.state == ChildState::waiting) {
      c.is_ready = true;
      state_.ready.push_back(state_.actor_of(slot));
    } else if (c.state == ChildState::starting) {
      not_up(slot, {1, "not up within " + to_string(*c.options->start_timeout)},
             options_.on_start_timeout);
    } else {
      overdue(slot);
    }
  }
  start_ready();
  if (state_.row.stage == Stage::waiting && now_ >= state_.row.due) {
    state_.row.stage = Stage::starting;
    state_.row.cursor = state_.first;
  }
}

void SupervisorEngine::Step::start_ready() {
  for (; !state_.ready.empty(); state_.ready.pop_front()) {
    const auto& last = state_.ready.front();
    const auto slot = last.child.slot;
    if (!state_.is_known(last.child) || !child(slot).is_ready
        || child(slot).incarnation != last.incarnation)
      continue;
    if (state_.starts == batch)
      return hold_up();
    ++state_.starts;
    start(slot);
  }
}

void SupervisorEngine::Step::hold_up() {
  if (!state_.held_up_since)
    state_.held_up_since = now_;
}

void SupervisorEngine::Step::finish() {
  if (is_stopping())
    advance_end();
  else
    advance_row();
  ask_for_wake();
}

// Starts a child that is down, because somebody asked for it. The child may depend on children
// before it. If some of these are still to be started, it joins their row and waits for its turn.
// Otherwise it starts now. Children behind it may depend on it: if a row is starting, its remaining
// children wait until this child is up.
void SupervisorEngine::Step::start_on_request(Slot slot) {
  if (joins_row(slot)) {
    auto& c = child(slot);
    c.is_in_row = true;
    c.stopped = StoppedBecause::not_stopped;
    state_.set(slot, ChildState::waiting);
    return;
  }
  start(slot);
  if (state_.row.stage == Stage::starting)
    state_.row.cursor = slot;
}

bool SupervisorEngine::Step::joins_row(Slot slot) const {
  const auto& row = state_.row;
  if (row.stage == Stage::over)
    return false;
  const auto is_starting = row.stage == Stage::starting;
  // While the row is starting, the child joins if its place in the order is still to come. Before
  // that, it joins if it, or a child before it, is in the row. With `one_for_all`, it joins if any
  // child is in the row.
  const auto from = options_.strategy == Strategy::one_for_all && !is_starting ? state_.last : slot;
  for (auto at = from; at != none; at = state_.children[at].previous)
    if (is_starting ? at == row.cursor : state_.children[at].is_in_row)
      return true;
  return false;
}

void SupervisorEngine::Step::advance_row() {
  if (state_.row.stage == Stage::ending && end_row())
    state_.row.stage = Stage::waiting;
  if (state_.row.stage == Stage::starting)
    start_row();
}

// Tells the row's children to end, in reverse order. Returns whether all of them are down.
bool SupervisorEngine::Step::end_row() {
  auto& at = state_.row.cursor;
  for (; at != none; at = child(at).previous) {
    if (!child(at).is_in_row && !child(at).holds_up_row)
      continue;
    const auto state = child(at).state;
    if (state == ChildState::running || state == ChildState::starting)
      tell_to_end(at, Then::row);
    if (child(at).state == ChildState::ending)
      return false;
  }
  return true;
}

void SupervisorEngine::Step::start_row() {
  auto& at = state_.row.cursor;
  for (; at != none; at = child(at).next) {
    if (!child(at).is_first)
      tell_started();
    const auto state = child(at).state;
    if (state == ChildState::starting)
      return; // even if a client started it, and it is not in the row
    if (!child(at).is_in_row)
      continue;
    if (state == ChildState::ending)
      return;
    if (state == ChildState::waiting) {
      if (state_.starts == batch) {
        hold_up();
        return;
      }
      ++state_.starts;
      start(at);
      return;
    }
    leave_row(at);
  }
  state_.row = {};
  tell_started();
}

// Reports once that the first children are up.
void SupervisorEngine::Step::tell_started() {
  if (state_.phase != SupervisorPhase::starting)
    return;
  state_.phase = SupervisorPhase::running;
  observe([&] { return supervisor_event::Started{now_}; });
  emit(supervisor_effect::Started{});
}

// -- the end --------------------------------------------------------------------------

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

// -- the clock ------------------------------------------------------------------------

void SupervisorEngine::Step::ask_for_wake() {
  auto earliest = Instant::never();
  if (!state_.due.empty())
    earliest = state_.due.top_key().first;
  if (state_.row.stage == Stage::waiting)
    earliest = std::min(earliest, state_.row.due);
  if (state_.held_up_since)
    earliest = std::min(earliest, *state_.held_up_since);
  if (earliest == Instant::never() || earliest == state_.wake_at)
    return;
  state_.wake_at = earliest;
  emit(supervisor_effect::WakeAt{earliest});
}

} // namespace backoff_actor
