// Starts children, and handles whether they come up.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <utility>

namespace backoff_actor {

void SupervisorEngine::Step::operator()(const supervisor_input::Start&) {
  if (std::exchange(state_.has_begun, true))
    return;
  state_.row.stage = Stage::starting;
  state_.row.cursor = state_.first;
}

void SupervisorEngine::Step::start(Slot slot) {
  auto& c = child(slot);
  not_due(slot);
  ++c.incarnation;
  c.is_up = false;
  c.is_killed = false;
  c.is_made = false;
  c.can_finish = false;
  c.keeps_grace = false;
  c.stopped = StoppedBecause::not_stopped;
  state_.set(slot, ChildState::starting);
  if (c.options->start_timeout)
    state_.due.push(slot, {now_ + *c.options->start_timeout, c.serial});
  emit(supervisor_effect::StartChild{state_.actor_of(slot),
                                     c.options->readiness == Readiness::when_it_is_up});
}

void SupervisorEngine::Step::operator()(const supervisor_input::ChildMade& x) {
  const auto slot = living(x.actor);
  if (slot == none || child(slot).state != ChildState::starting)
    return;
  auto& c = child(slot);
  c.is_made = true;
  c.can_finish = x.can_finish;
  if (c.options->readiness == Readiness::when_made)
    up(slot);
}

void SupervisorEngine::Step::operator()(const supervisor_input::ChildUp& x) {
  const auto slot = living(x.actor);
  if (slot != none && child(slot).state == ChildState::starting)
    up(slot);
}

void SupervisorEngine::Step::up(Slot slot) {
  auto& c = child(slot);
  not_due(slot);
  c.is_up = true;
  c.has_been_up = true;
  c.is_new = false;
  c.up_since = now_;
  state_.set(slot, ChildState::running);
  observe([&] { return supervisor_event::ChildStarted{now_, c.id, c.incarnation}; });
  if (c.incarnation > 1) {
    ++c.restarts;
    ++state_.restarts;
  }
  answer_starter(slot, std::nullopt);
}

void SupervisorEngine::Step::operator()(const supervisor_input::StartFailed& x) {
  const auto slot = living(x.actor);
  if (slot == none)
    return;
  auto cause = std::make_shared<const Cause>(x.cause);
  if (child(slot).state == ChildState::starting)
    fail_start(slot, std::move(cause), x.directive);
  else if (child(slot).state == ChildState::ending)
    ended(slot, Ending::shutdown, cause, x.directive);
}

void SupervisorEngine::Step::operator()(const supervisor_input::ChildNotUp& x) {
  const auto slot = living(x.actor);
  if (slot != none && child(slot).state == ChildState::starting)
    not_up(slot, x.cause, x.directive);
}

// The start has failed. The engine reports this only when the actor is down.
void SupervisorEngine::Step::not_up(Slot slot, Cause cause, Directive directive) {
  child(slot).cause = std::make_shared<const Cause>(std::move(cause));
  child(slot).directive = directive;
  tell_to_end(slot, Then::failed_start);
}

void SupervisorEngine::Step::fail_start(Slot slot, std::shared_ptr<const Cause> cause,
                                        Directive directive) {
  auto& c = child(slot);
  not_due(slot);
  c.cause = cause;
  observe([&] { return supervisor_event::StartFailed{now_, c.id, c.incarnation, *cause}; });
  if (is_closing()) {
    settle(slot, StoppedBecause::terminated);
  } else if (c.is_first && !c.has_been_up && state_.phase == SupervisorPhase::starting) {
    settle(slot, StoppedBecause::not_restarted);
    stop_all(QuitReason::start_failed, blamed(slot), *cause);
  } else if (c.starter) {
    answer_starter(slot, SupervisorError::start_failed, *cause);
    if (c.is_new)
      remove(slot);
    else
      stay_away(slot, StoppedBecause::not_restarted);
  } else if (directive == Directive::escalate) {
    settle(slot, StoppedBecause::decided);
    stop_all(QuitReason::escalated, blamed(slot), *cause);
  } else if (directive == Directive::stop) {
    stay_away(slot, StoppedBecause::decided);
  } else {
    charge(slot, std::move(cause));
  }
}

} // namespace backoff_actor
