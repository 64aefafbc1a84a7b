#pragma once

#include "backoff_actor/core/unit_random.hpp"
#include "reference_supervisor_state.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace backoff_actor::model_test {

/// What becomes of a child of the reference supervisor: how it starts, fails and ends.
class ReferenceSupervisorRules : public ReferenceSupervisorState {
public:
  using ReferenceSupervisorState::ReferenceSupervisorState;

protected:
  // -- starts ----------------------------------------------------------------------------

  void start(const ChildPtr& child) {
    ++child->incarnation;
    child->state = ChildState::starting;
    child->stopped = StoppedBecause::not_stopped;
    child->due.reset();
    child->turn = 0;
    child->is_made = false;
    child->can_finish = false;
    child->is_unfinished = false;
    const auto asks = child->options->readiness == Readiness::when_it_is_up;
    ask(supervisor_effect::StartChild{{child->name, child->incarnation}, asks});
    if (child->options->start_timeout)
      child->due = now_ + *child->options->start_timeout;
  }

  void up(const ChildPtr& child) {
    child->state = ChildState::running;
    child->due.reset();
    child->up_since = now_;
    child->has_been_up = true;
    tell(supervisor_event::ChildStarted{now_, child->id, child->incarnation});
    if (child->incarnation > 1) {
      ++child->restarts;
      ++restarts_;
    }
    answer_starter(child, std::nullopt);
  }

  void not_up(const ChildPtr& child, const Cause& cause, Directive directive) {
    child->cause = cause;
    child->start_directive = directive;
    tell_to_end(child, Child::Then::failed_start);
  }

  void failed_start(const ChildPtr& child, const Cause& cause, Directive directive) {
    tell(supervisor_event::StartFailed{now_, child->id, child->incarnation, cause});
    child->cause = cause;
    if (is_closing())
      return stopped(child, StoppedBecause::terminated);
    if (!child->has_been_up && child->is_first && phase_ == SupervisorPhase::starting)
      return stop(QuitReason::start_failed, child, cause, StoppedBecause::not_restarted);
    if (child->starter) {
      const auto is_new = child->starter->is_new;
      answer_starter(child, SupervisorError::start_failed, cause);
      return is_new ? remove(child) : stopped(child, StoppedBecause::not_restarted);
    }
    if (directive == Directive::escalate)
      return stop(QuitReason::escalated, child, cause, StoppedBecause::decided);
    if (directive == Directive::stop)
      return stopped(child, StoppedBecause::decided);
    charge(child, cause, false);
  }

  // -- failures --------------------------------------------------------------------------

  // It ended by itself; also after it was told to end, if it failed.
  void ended_by_itself(const ChildPtr& child, Ending ending, const Cause& cause,
                       Directive directive, bool was_told) {
    if (!is_clean(ending))
      child->cause = cause;
    if (is_closing())
      return stopped(child, StoppedBecause::terminated);
    if (!is_clean(ending)) {
      if (directive == Directive::escalate)
        return stop(QuitReason::escalated, child, cause, StoppedBecause::decided);
      if (directive == Directive::stop) {
        stopped(child, StoppedBecause::decided);
        return done_its_work(child, ending, was_told);
      }
      if (directive == Directive::resume && !child->is_temporary()) {
        child->state = ChildState::waiting;
        if (!child->is_member) // otherwise it comes back with its row
          child->due = now_;
        return;
      }
    }
    if (wants_restart(child->options->restart, ending))
      return charge(child, cause, true);
    stopped(child, StoppedBecause::done);
    done_its_work(child, ending, was_told);
  }

  void charge(const ChildPtr& child, const Cause& cause, bool was_running) {
    const auto& options = *child->options;
    child->cause = cause;
    if (was_running && now_ - child->up_since >= options.time_to_be_healthy())
      child->progress = options.backoff.restart(child->progress);
    const Draws draws{options_.seed, child->name.serial};
    const auto step = options.backoff.next(child->progress, draws(child->progress.draws));
    child->progress = step.progress;
    child->failures.push_back(now_);
    if (exceeds(options.restart_limit, child->failures, now_)) {
      tell(supervisor_event::ChildGivenUp{now_, child->id, cause});
      if (options.when_given_up == GivenUp::escalate)
        return stop(QuitReason::child_limit, child, cause, StoppedBecause::given_up);
      return stopped(child, StoppedBecause::given_up);
    }
    const auto is_group = options_.strategy != Strategy::one_for_one;
    const auto joins = is_group && (stage_ == Stage::ending || stage_ == Stage::waiting);
    if (!joins) {
      failures_.push_back(now_);
      if (exceeds(options_.restart_limit, failures_, now_)) {
        tell(supervisor_event::LimitReached{now_, child->id, cause});
        return stop(QuitReason::limit_reached, child, cause, StoppedBecause::given_up);
      }
    }
    child->state = ChildState::waiting;
    child->due.reset();
    tell(supervisor_event::RestartScheduled{now_, child->id, step.delay, child->progress.retries});
    const auto at = now_ + step.delay;
    if (!is_group) {
      child->is_member = false;
      child->due = at;
      return;
    }
    row_due_ = joins ? std::max(row_due_, at) : at;
    stage_ = Stage::ending;
    auto is_concerned = options_.strategy == Strategy::one_for_all;
    for (const auto& x : children_) {
      is_concerned = is_concerned || x == child;
      if (is_concerned)
        join(*x);
    }
  }

  static void join(Child& x) {
    const auto was_done = x.state == ChildState::stopped && x.stopped == StoppedBecause::done;
    if (x.state == ChildState::ending || (x.state == ChildState::stopped && !was_done))
      return; // one that is ending is a member if it was one
    x.is_member = true;
    if (x.state == ChildState::waiting || was_done) {
      x.state = ChildState::waiting;
      x.stopped = StoppedBecause::not_stopped;
      x.due.reset();
      x.turn = 0;
    }
  }

  // -- ends ------------------------------------------------------------------------------

  void tell_to_end(const ChildPtr& child, Child::Then then) {
    child->was_running = child->state == ChildState::running;
    child->state = ChildState::ending;
    child->then = then;
    child->is_killed = false;
    child->keeps_grace = false;
    child->due.reset();
    const auto limit = limit_of(*child);
    if (!child->options->shutdown.asks() || (limit && *limit <= now_))
      return kill(child);
    child->keeps_grace = child->can_finish && is_ending_with_grace();
    ask(supervisor_effect::TellToEnd{{child->name, child->incarnation}, child->keeps_grace});
    tell(supervisor_event::ChildToldToEnd{now_, child->id, child->incarnation, false});
    child->due = limit;
  }

  bool is_ending_with_grace() const { return keeps_grace_ && phase_ == SupervisorPhase::stopping; }

  // When a child that is told to end now is killed.
  std::optional<Instant> limit_of(const Child& child) const {
    std::optional<Instant> result;
    if (deadline_ != Instant::never())
      result = child.can_finish ? deadline_ + 3 * options_.kill_grace : deadline_;
    if (const auto time = child.options->shutdown.limit(); time && !is_ending_with_grace())
      result = std::min(result.value_or(Instant::never()), now_ + *time);
    return result;
  }

  // A child that is ending has less time.
  void shorten(Child& child) {
    if (const auto limit = limit_of(child);
        child.state == ChildState::ending && !child.is_killed && limit)
      child.due = std::min(child.due.value_or(Instant::never()), *limit);
  }

  void kill(const ChildPtr& child) {
    child->is_killed = true;
    ask(supervisor_effect::Kill{{child->name, child->incarnation}});
    tell(supervisor_event::ChildToldToEnd{now_, child->id, child->incarnation, true});
    child->due = options_.after_grace == AfterGrace::abandon
                   ? std::optional{now_ + options_.kill_grace}
                   : std::nullopt;
  }

  void out_of_grace(const ChildPtr& child) {
    if (!child->is_killed)
      return kill(child);
    tell(supervisor_event::ChildAbandoned{now_, child->id, child->incarnation});
    ask(supervisor_effect::Abandon{{child->name, child->incarnation}});
    abandoned_.push_back({child->name, child->incarnation});
    ended(child, Ending::killed, {}, Directive::restart);
  }

  // One that was told to.
  void ended(const ChildPtr& child, Ending ending, const Cause& cause, Directive directive) {
    child->due.reset();
    if (is_closing())
      return stopped(child, StoppedBecause::terminated);
    switch (child->then) {
    case Child::Then::row:
      if (ending == Ending::failed && child->was_running)
        return ended_by_itself(child, ending, cause, directive, true);
      if (child->is_temporary())
        return stopped(child, StoppedBecause::terminated);
      child->state = ChildState::waiting;
      break;
    case Child::Then::stop:
      return stopped(child, StoppedBecause::terminated);
    case Child::Then::failed_start:
      if (ending == Ending::failed) // what it ended of by itself says more
        return failed_start(child, cause, directive);
      return failed_start(child, child->cause, child->start_directive);
    }
  }

  void stopped(const ChildPtr& child, StoppedBecause reason) {
    child->state = ChildState::stopped;
    child->stopped = reason;
    child->is_member = false;
    child->is_awaited = false;
    child->due.reset();
    child->turn = 0;
    if (reason != StoppedBecause::given_up && !is_closing())
      tell(supervisor_event::ChildStopped{now_, child->id});
    for (const auto ticket : std::exchange(child->terminators, {}))
      answer(ticket, std::nullopt, child);
    if (!is_closing() && (child->is_temporary() || options_.is_dynamic))
      remove(child);
  }

  // It may have been removed.
  void done_its_work(const ChildPtr& child, Ending ending, bool was_told) {
    const auto is_done = child->is_temporary()
                         || (child->options->restart == RestartType::transient && is_clean(ending));
    if (was_told || !child->options->is_significant || !is_done
        || options_.auto_shutdown == AutoShutdown::never)
      return;
    if (options_.auto_shutdown == AutoShutdown::all_significant)
      for (const auto& x : children_)
        if (x != child && x->options->is_significant && x->state != ChildState::stopped)
          return;
    stop(QuitReason::auto_shutdown, child, {}, StoppedBecause::done);
  }

  // -- the supervisor's own end ----------------------------------------------------------

  // `child` is the one because of which, or nobody; it stays down for that reason.
  void stop(QuitReason reason, const ChildPtr& child, const Cause& cause, StoppedBecause because) {
    phase_ = SupervisorPhase::stopping;
    tell(supervisor_event::Stopping{now_, {}});
    ask(supervisor_effect::BeginStop{reason, child ? child->name : ChildName{},
                                     child ? child->id : std::string{}, cause});
    stage_ = Stage::none;
    held_up_since_.reset();
    if (child && child->state != ChildState::stopped)
      stopped(child, because);
    for (const auto& x : children_) {
      x->is_member = false;
      answer_starter(x, SupervisorError::stopping);
      if (x->state == ChildState::waiting)
        stopped(x, StoppedBecause::done);
      else if (options_.is_dynamic && is_up_or_to_be(*x))
        tell_to_end(x, Child::Then::stop);
    }
  }
};

} // namespace backoff_actor::model_test
