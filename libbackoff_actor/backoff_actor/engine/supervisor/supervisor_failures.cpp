// Children that ended by themselves: charging failures, and the limits.

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

void SupervisorEngine::Step::operator()(const supervisor_input::ChildDown& x) {
  const auto slot = living(x.actor);
  if (slot == none) {
    const auto it = std::find(state_.abandoned.begin(), state_.abandoned.end(), x.actor);
    if (it == state_.abandoned.end())
      return;
    state_.abandoned.erase(it);
    observe([&] { return supervisor_event::AbandonedChildEnded{now_}; });
    return;
  }
  auto& c = child(slot);
  auto cause = std::make_shared<Cause>(x.cause);
  if (c.state == ChildState::running) {
    observe([&] {
      return supervisor_event::ChildDown{now_, c.id, c.incarnation, x.ending, x.cause};
    });
    ended_by_itself(slot, x.ending, cause, x.directive);
  } else if (c.state == ChildState::starting) {
    if (cause->text.empty() && is_clean(x.ending))
      cause->text = "ended before it was up";
    fail_start(slot, std::move(cause), x.directive);
  } else {
    ended(slot, x.ending, cause, x.directive);
  }
}

void SupervisorEngine::Step::ended_by_itself(Slot slot, Ending ending,
                                             const std::shared_ptr<const Cause>& cause,
                                             Directive directive) {
  auto& c = child(slot);
  const auto type = c.options->restart;
  if (!is_clean(ending))
    c.cause = cause;
  if (is_closing()) {
    settle(slot, StoppedBecause::terminated);
    return;
  }
  if (!is_clean(ending)) {
    if (directive == Directive::escalate) {
      settle(slot, StoppedBecause::decided);
      stop_all(QuitReason::escalated, blamed(slot), *cause);
      return;
    }
    if (directive == Directive::resume && type != RestartType::temporary) {
      resume(slot);
      return;
    }
    if (directive == Directive::stop && type == RestartType::transient) {
      stay_away(slot, StoppedBecause::decided);
      return;
    }
  }
  const auto is_wanted =
    wants_restart(type, ending) && (is_clean(ending) || directive != Directive::stop);
  if (is_wanted)
    charge(slot, cause);
  else if (type == RestartType::permanent)
    stay_away(slot, StoppedBecause::decided);
  else
    work_is_done(slot);
}

// Restarts the child as if it had not failed; together with its row if it is in one.
void SupervisorEngine::Step::resume(Slot slot) {
  auto& c = child(slot);
  state_.set(slot, ChildState::waiting);
  if (!c.is_in_row)
    wait(slot, now_);
}

// The child ended, and is not restarted. A child that failed after it was told to end had not done
// its work, so it does not trigger the auto-shutdown.
void SupervisorEngine::Step::work_is_done(Slot slot) {
  const auto is_significant =
    child(slot).options->is_significant && child(slot).state != ChildState::ending;
  const auto who = blamed(slot);
  stay_away(slot, StoppedBecause::done);
  if (!is_significant || options_.auto_shutdown == AutoShutdown::never)
    return;
  const auto is_last = [&] {
    for (auto at = state_.first; at != none; at = child(at).next)
      if (child(at).options->is_significant && child(at).state != ChildState::stopped)
        return false;
    return true;
  };
  if (options_.auto_shutdown == AutoShutdown::any_significant || is_last())
    stop_all(QuitReason::auto_shutdown, who, {});
}

void SupervisorEngine::Step::charge(Slot slot, std::shared_ptr<const Cause> cause) {
  auto& c = child(slot);
  const auto& policy = c.options->backoff;
  if (c.is_up && now_ - c.up_since >= c.options->time_to_be_healthy())
    c.progress = policy.restart(c.progress);
  const auto u = Draws{options_.seed, c.serial}(c.progress.draws);
  const auto step = policy.next(c.progress, u);
  const auto delay = step.delay; // clang 14 cannot capture a structured binding in a lambda
  c.progress = step.progress;
  c.cause = std::move(cause);
  if (!charge_limits(slot))
    return;
  state_.set(slot, ChildState::waiting);
  observe([&] {
    return supervisor_event::RestartScheduled{now_, c.id, delay, c.progress.retries};
  });
  restart_alone_or_with_group(slot, now_ + delay);
}

// Counts the failure against the limit of the child. Counts it against the limit of the supervisor,
// too, unless the child joins a restart of its group that is under way. Returns false if a limit
// is exceeded. What follows from that is done then.
bool SupervisorEngine::Step::charge_limits(Slot slot) {
  auto& c = child(slot);
  if (const auto& limit = c.options->restart_limit) {
    if (!c.failures)
      c.failures = std::make_unique<RestartWindow>();
    if (c.failures->add(*limit, now_)) {
      observe([&] { return supervisor_event::ChildGivenUp{now_, c.id, *c.cause}; });
      if (c.options->when_given_up == GivenUp::escalate) {
        settle(slot, StoppedBecause::given_up);
        stop_all(QuitReason::child_limit, blamed(slot), *c.cause);
      } else {
        stay_away(slot, StoppedBecause::given_up);
      }
      return false;
    }
  }
  if (!group_is_to_restart() && options_.restart_limit
      && state_.restarts_in_window.add(*options_.restart_limit, now_)) {
    observe([&] { return supervisor_event::LimitReached{now_, c.id, *c.cause}; });
    settle(slot, StoppedBecause::given_up);
    stop_all(QuitReason::limit_reached, blamed(slot), *c.cause);
    return false;
  }
  return true;
}

// Schedules the restart of this child alone.
void SupervisorEngine::Step::wait(Slot slot, Instant due) {
  state_.set(slot, ChildState::waiting);
  state_.due.push(slot, {due, child(slot).serial});
}

} // namespace backoff_actor
