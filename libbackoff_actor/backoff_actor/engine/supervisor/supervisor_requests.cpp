// Requests of an operator.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

void SupervisorEngine::Step::answer(Ticket ticket, std::optional<SupervisorError> error, Slot slot,
                                    Cause cause) {
  emit(supervisor_effect::Answer{ticket, error, slot == none ? ChildName{} : state_.name_of(slot),
                                 std::move(cause)});
}

void SupervisorEngine::Step::answer_starter(Slot slot, std::optional<SupervisorError> error,
                                            Cause cause) {
  if (const auto ticket = std::exchange(child(slot).starter, std::nullopt))
    answer(*ticket, error, slot, std::move(cause));
}

// Finds the child of a request; answers the request if there is none.
SupervisorEngine::Step::Slot SupervisorEngine::Step::wanted(Ticket ticket, std::string_view id) {
  const auto slot = state_.find(id);
  if (slot == none)
    answer(ticket, SupervisorError::not_found);
  return slot;
}

void SupervisorEngine::Step::operator()(const supervisor_input::StartChild& x) {
  if (is_closing()) {
    answer(x.ticket, SupervisorError::stopping);
    return;
  }
  const auto known = x.entry.id.empty() ? none : state_.find(x.entry.id);
  if (known != none) {
    const auto state = child(known).state;
    const auto is_down = state == ChildState::waiting || state == ChildState::stopped;
    answer(x.ticket, is_down ? SupervisorError::already_present : SupervisorError::already_started,
           known);
    return;
  }
  if (state_.by_id.size() >= options_.max_children) {
    answer(x.ticket, SupervisorError::max_children);
    return;
  }
  const auto slot = state_.add(x.entry);
  emit(supervisor_effect::KeepChild{state_.name_of(slot), x.ticket});
  observe([&] { return supervisor_event::ChildAdded{now_, child(slot).id}; });
  child(slot).starter = x.ticket;
  child(slot).is_new = true;
  start_on_request(slot);
}

void SupervisorEngine::Step::operator()(const supervisor_input::TerminateChild& x) {
  const auto slot = wanted(x.ticket, x.id);
  if (slot == none)
    return;
  const auto wait_for_end = [&] {
    auto& waiting = child(slot).terminators;
    if (!waiting)
      waiting = std::make_unique<std::vector<Ticket>>();
    waiting->push_back(x.ticket);
  };
  if (child(slot).state == ChildState::stopped) {
    answer(x.ticket, std::nullopt, slot);
    return;
  }
  answer_starter(slot, SupervisorError::terminated);
  child(slot).is_new = false;
  const auto holds_up_row = child(slot).is_in_row && state_.row.stage == Stage::ending;
  leave_row(slot);
  child(slot).holds_up_row = holds_up_row;
  wait_for_end();
  if (child(slot).state == ChildState::waiting)
    stay_away(slot, StoppedBecause::terminated);
  else if (child(slot).state == ChildState::ending)
    child(slot).then = Then::stop;
  else
    tell_to_end(slot, Then::stop);
}

// Why a child cannot be started or forgotten now; nothing if it is down with nothing scheduled.
std::optional<SupervisorError> SupervisorEngine::Step::hindrance(Slot slot) {
  switch (child(slot).state) {
  case ChildState::stopped:
    break;
  case ChildState::waiting:
  case ChildState::starting:
    return SupervisorError::restarting;
  case ChildState::running:
    return SupervisorError::running;
  case ChildState::ending:
    return SupervisorError::ending;
  }
  return std::nullopt;
}

void SupervisorEngine::Step::operator()(const supervisor_input::RestartChild& x) {
  const auto slot = wanted(x.ticket, x.id);
  if (slot == none)
    return;
  const auto why_not = is_closing() ? std::optional{SupervisorError::stopping} : hindrance(slot);
  if (why_not) {
    answer(x.ticket, why_not, slot);
    return;
  }
  child(slot).starter = x.ticket;
  start_on_request(slot);
}

void SupervisorEngine::Step::operator()(const supervisor_input::DeleteChild& x) {
  const auto slot = wanted(x.ticket, x.id);
  if (slot == none)
    return;
  const auto why_not = hindrance(slot);
  answer(x.ticket, why_not, slot);
  if (!why_not && !is_closing())
    remove(slot);
}

void SupervisorEngine::Step::operator()(const supervisor_input::RetryNow& x) {
  const auto slot = wanted(x.ticket, x.id);
  if (slot == none)
    return;
  auto& c = child(slot);
  const auto is_to_come_back =
    c.state == ChildState::waiting || (c.state == ChildState::ending && c.is_in_row);
  if (!is_to_come_back) {
    answer(x.ticket, hindrance(slot).value_or(SupervisorError::not_running), slot);
    return;
  }
  if (c.is_in_row) {
    state_.row.due = std::min(state_.row.due, now_);
  } else if (!c.is_ready) {
    not_due(slot);
    state_.due.push(slot, {now_, c.serial});
  }
  answer(x.ticket, std::nullopt, slot);
}

} // namespace backoff_actor
