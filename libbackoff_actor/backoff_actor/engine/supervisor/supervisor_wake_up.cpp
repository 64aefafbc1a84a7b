// A wake-up: everything that is due. The end of every step: what has become possible, and the next
// wake-up.

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
  while (!state_.due.empty() && state_.due.top_key().at <= now_) {
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
  if (state_.phase == SupervisorPhase::finishing)
    advance_finish();
  if (state_.phase >= SupervisorPhase::stopping)
    advance_end();
  else if (!is_closing())
    advance_row();
  ask_for_wake();
}

void SupervisorEngine::Step::ask_for_wake() {
  auto earliest = Instant::never();
  if (!state_.due.empty())
    earliest = state_.due.top_key().at;
  if (state_.row.stage == Stage::waiting)
    earliest = std::min(earliest, state_.row.due);
  if (state_.held_up_since)
    earliest = std::min(earliest, *state_.held_up_since);
  if (state_.phase == SupervisorPhase::finishing && state_.ends_when_finished)
    earliest = std::min(earliest, state_.deadline);
  if (state_.phase == SupervisorPhase::stopping && !state_.all_are_told)
    earliest = std::min(earliest, end_of_order());
  if (earliest == Instant::never() || earliest == state_.wake_at)
    return;
  state_.wake_at = earliest;
  emit(supervisor_effect::WakeAt{earliest});
}

} // namespace backoff_actor
