// The group restart: whether siblings of a failed child are restarted with it, which ones, and in
// which order. The children of a group restart are its row. The first start of all children is a
// row too.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

// Whether a group restart is under way and has started no child yet. Then another failure joins it.
bool SupervisorEngine::Step::group_is_to_restart() const {
  return state_.is_group()
         && (state_.row.stage == Stage::ending || state_.row.stage == Stage::waiting);
}

// The failed child in `slot` restarts at `due`: alone, or with its group if the strategy says so. A
// failure that joins a group restart never makes it earlier.
void SupervisorEngine::Step::restart_alone_or_with_group(Slot slot, Instant due) {
  if (!state_.is_group())
    return wait(slot, due);
  join_row(slot, group_is_to_restart() ? std::max(state_.row.due, due) : due);
}

// The failed child in `slot` restarts at `due`, and with it the whole group (`one_for_all`) or the
// children behind it (`rest_for_one`).
void SupervisorEngine::Step::join_row(Slot slot, Instant due) {
  const auto from = options_.strategy == Strategy::one_for_all ? state_.first : slot;
  for (auto at = from; at != none; at = child(at).next) {
    auto& member = child(at);
    const auto is_done =
      member.state == ChildState::stopped && member.stopped == StoppedBecause::done;
    if (member.state == ChildState::waiting || is_done) {
      not_due(at);
      member.stopped = StoppedBecause::not_stopped;
      state_.set(at, ChildState::waiting);
    }
    if (member.state != ChildState::stopped && member.state != ChildState::ending)
      member.is_in_row = true;
  }
  state_.row = {Stage::ending, due, state_.last};
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

} // namespace backoff_actor
