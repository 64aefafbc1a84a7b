// Tells children to end, and handles what follows.

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

SupervisorEngine::Step::Slot SupervisorEngine::Step::living(const ChildActor& actor) const {
  if (!state_.is_known(actor.child))
    return none;
  const auto& c = state_.children[actor.child.slot];
  const auto is_alive = c.state == ChildState::starting || c.state == ChildState::running
                        || c.state == ChildState::ending;
  return is_alive && c.incarnation == actor.incarnation ? actor.child.slot : none;
}

void SupervisorEngine::Step::tell_to_end(Slot slot, Then then) {
  auto& c = child(slot);
  not_due(slot);
  c.then = then;
  state_.set(slot, ChildState::ending);
  const auto end = end_of_time(c);
  if (!c.options->shutdown.asks() || end <= now_) {
    kill(slot);
    return;
  }
  observe([&] { return supervisor_event::ChildToldToEnd{now_, c.id, c.incarnation, false}; });
  c.keeps_grace = c.can_finish && keeps_grace();
  emit(supervisor_effect::TellToEnd{state_.actor_of(slot), c.keeps_grace});
  if (end != Instant::never())
    state_.due.push(slot, {end, c.serial});
}

// When a child is killed that is asked to end now. A child that can finish kills its own children
// at the deadline of the grace, and may then need more than one `kill_grace` to end.
Instant SupervisorEngine::Step::end_of_time(const Child& child) const {
  auto by_deadline = state_.deadline;
  if (child.can_finish)
    for (auto i = 0; i < 3; ++i)
      by_deadline = by_deadline + options_.kill_grace;
  const auto& own_limit = child.options->shutdown.limit();
  return keeps_grace() || !own_limit ? by_deadline : std::min(by_deadline, now_ + *own_limit);
}

// Kills a child that was asked to end at `at`, unless its time is over before.
void SupervisorEngine::Step::shorten(Slot slot, Instant at) {
  const auto& c = child(slot);
  if (c.is_killed || (state_.due.contains(slot) && state_.due.key_of(slot).at <= at))
    return;
  state_.due.erase(slot);
  if (at != Instant::never())
    state_.due.push(slot, {at, c.serial});
}

void SupervisorEngine::Step::kill(Slot slot) {
  auto& c = child(slot);
  c.is_killed = true;
  observe([&] { return supervisor_event::ChildToldToEnd{now_, c.id, c.incarnation, true}; });
  emit(supervisor_effect::Kill{state_.actor_of(slot)});
  if (options_.after_grace == AfterGrace::abandon)
    state_.due.push(slot, {now_ + options_.kill_grace, c.serial});
}

// The child's time to end is over: kills it, or abandons it if it was killed already.
void SupervisorEngine::Step::overdue(Slot slot) {
  auto& c = child(slot);
  if (!c.is_killed) {
    kill(slot);
    return;
  }
  observe([&] { return supervisor_event::ChildAbandoned{now_, c.id, c.incarnation}; });
  emit(supervisor_effect::Abandon{state_.actor_of(slot)});
  state_.abandoned.push_back(state_.actor_of(slot));
  after_end(slot, Ending::killed, nullptr, Directive::restart);
}

// A child that was told to end has ended.
void SupervisorEngine::Step::ended(Slot slot, Ending ending,
                                   const std::shared_ptr<const Cause>& cause, Directive directive) {
  const auto& c = child(slot);
  observe([&] { return supervisor_event::ChildEnded{now_, c.id, c.incarnation}; });
  after_end(slot, ending, cause, directive);
}

// Handles the end of a child that was told to end, or its abandonment.
void SupervisorEngine::Step::after_end(Slot slot, Ending ending,
                                       const std::shared_ptr<const Cause>& cause,
                                       Directive directive) {
  auto& c = child(slot);
  not_due(slot);
  if (is_closing())
    settle(slot, StoppedBecause::terminated);
  else if (c.then == Then::stop)
    stay_away(slot, StoppedBecause::terminated);
  else if (c.then == Then::failed_start)
    // If the child failed by itself, that failure says more than that it did not come up.
    fail_start(slot, ending == Ending::failed ? cause : c.cause,
               ending == Ending::failed ? directive : c.directive);
  else if (ending == Ending::failed && c.is_up)
    ended_by_itself(slot, ending, cause, directive);
  else if (c.options->restart == RestartType::temporary)
    go_with_row(slot);
  else
    state_.set(slot, ChildState::waiting);
}

// A temporary child does not come back with its row, not even if somebody waits for its start.
void SupervisorEngine::Step::go_with_row(Slot slot) {
  answer_starter(slot, SupervisorError::terminated);
  stay_away(slot, StoppedBecause::terminated);
}

// Keeps the child down until somebody asks for it.
void SupervisorEngine::Step::stay_away(Slot slot, StoppedBecause reason) {
  settle(slot, reason);
  if (reason != StoppedBecause::given_up)
    observe([&] { return supervisor_event::ChildStopped{now_, child(slot).id}; });
  if (options_.is_dynamic || child(slot).options->restart == RestartType::temporary)
    remove(slot);
}

void SupervisorEngine::Step::settle(Slot slot, StoppedBecause reason) {
  auto& c = child(slot);
  not_due(slot);
  leave_row(slot);
  c.stopped = reason;
  state_.set(slot, ChildState::stopped);
  if (const auto waiting = std::exchange(c.terminators, nullptr))
    for (const auto ticket : *waiting)
      answer(ticket, std::nullopt, slot);
}

void SupervisorEngine::Step::remove(Slot slot) {
  observe([&] { return supervisor_event::ChildRemoved{now_, child(slot).id}; });
  emit(supervisor_effect::ForgetChild{state_.name_of(slot)});
  leave_row(slot);
  state_.remove(slot);
}

void SupervisorEngine::Step::leave_row(Slot slot) {
  child(slot).is_in_row = false;
  child(slot).holds_up_row = false;
}

void SupervisorEngine::Step::not_due(Slot slot) {
  state_.due.erase(slot);
  child(slot).is_ready = false;
}

} // namespace backoff_actor
