#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"
#include "reference_supervisor_row.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace backoff_actor::model_test {

/// A supervisor in the most obvious way: what comes in, and how it goes on then.
class ReferenceSupervisor : public ReferenceSupervisorRow {
public:
  using ReferenceSupervisorRow::ReferenceSupervisorRow;

  void step(Instant now, const SupervisorInput& input) {
    now_ = now;
    taken.clear();
    told.clear();
    is_wake_ = std::holds_alternative<supervisor_input::Wake>(input);
    std::visit([this](const auto& x) { take(x); }, input);
    if (phase_ == SupervisorPhase::finishing)
      go_on_finishing();
    if (phase_ == SupervisorPhase::stopping)
      go_on_stopping();
    else if (!is_closing())
      go_on_with_row();
    ask_for_wake_up();
  }

private:
  // -- news ------------------------------------------------------------------------------

  void take(const supervisor_input::Start&) {
    if (!std::exchange(has_begun_, true))
      begin_turns();
  }

  void take(const supervisor_input::ChildMade& x) {
    const auto child = with_actor(x.actor);
    if (!child || child->state != ChildState::starting)
      return;
    child->is_made = true;
    child->can_finish = x.can_finish;
    if (child->options->readiness == Readiness::when_made)
      up(child);
  }

  void take(const supervisor_input::ChildUp& x) {
    const auto child = with_actor(x.actor);
    if (child && child->state == ChildState::starting)
      up(child);
  }

  void take(const supervisor_input::StartFailed& x) {
    const auto child = with_actor(x.actor);
    if (child && child->state == ChildState::starting)
      failed_start(child, x.cause, x.directive);
    else if (child && child->state == ChildState::ending)
      told_child_ended(child, Ending::shutdown, x.cause, x.directive);
  }

  void take(const supervisor_input::ChildNotUp& x) {
    const auto child = with_actor(x.actor);
    if (child && child->state == ChildState::starting)
      not_up(child, x.cause, x.directive);
  }

  void take(const supervisor_input::ChildDown& x) {
    if (std::erase(abandoned_, x.actor) != 0) {
      tell(supervisor_event::AbandonedChildEnded{now_});
      return;
    }
    const auto child = with_actor(x.actor);
    if (!child)
      return;
    if (child->state == ChildState::ending)
      return told_child_ended(child, x.ending, x.cause, x.directive);
    if (child->state == ChildState::starting) {
      auto cause = x.cause;
      if (is_clean(x.ending) && cause.text.empty())
        cause.text = "ended before it was up";
      return failed_start(child, cause, x.directive);
    }
    tell(supervisor_event::ChildDown{now_, child->id, child->incarnation, x.ending, x.cause});
    ended_by_itself(child, x.ending, x.cause, x.directive, false);
  }

  void told_child_ended(const ChildPtr& child, Ending ending, const Cause& cause,
                        Directive directive) {
    tell(supervisor_event::ChildEnded{now_, child->id, child->incarnation});
    ended(child, ending, cause, directive);
  }

  void take(const supervisor_input::Wake&) {
    if (asked_for_ && now_ >= *asked_for_)
      asked_for_.reset();
    starts_ = 0;
    held_up_since_.reset();
    while (const auto child = due_child([](const Child& x) { return x.is_alive(); })) {
      if (child->state == ChildState::ending)
        out_of_grace(child);
      else
        not_up(child, {1, "not up within " + to_string(*child->options->start_timeout)},
               options_.on_start_timeout);
    }
    // Those that were held up come first.
    const auto is_waiting = [](const Child& x) { return !x.is_alive() && x.turn == 0; };
    while (const auto child = due_child(is_waiting))
      child->turn = ++turns_;
    while (const auto child = first_in_turn()) {
      if (is_batch_over())
        return hold_up();
      start_in_turn(child);
    }
  }

  void take(const supervisor_input::Stop& x) {
    if (!x.keeps_grace)
      lose_grace();
    const auto reason = x.is_unreachable ? QuitReason::unreachable : QuitReason::told;
    if (phase_ < SupervisorPhase::stopping)
      stop(reason, nullptr, {}, StoppedBecause::done);
  }

  // -- the grace -------------------------------------------------------------------------

  void take(const supervisor_input::Finish& x) {
    if (phase_ == SupervisorPhase::stopped)
      return;
    const auto is_first = !std::exchange(is_to_finish_, true);
    const auto before = std::exchange(deadline_, std::min(deadline_, x.deadline));
    ends_when_finished_ = ends_when_finished_ || x.ends;
    is_finish_told_ = false;
    if (is_closing()) {
      if (is_first || deadline_ < before)
        hand_down_deadline();
      return;
    }
    phase_ = SupervisorPhase::finishing;
    keeps_grace_ = true;
    tell(supervisor_event::Finishing{now_, deadline_});
    stage_ = Stage::none;
    held_up_since_.reset();
    for (const auto& child : children_) {
      child->is_member = false;
      answer_starter(child, SupervisorError::stopping);
      if (child->state == ChildState::waiting)
        stopped(child, StoppedBecause::done);
      else if (child->state == ChildState::starting && !child->is_made)
        tell_to_end(child, Child::Then::stop);
      else
        child->is_unfinished = child->can_finish;
      if (child->state == ChildState::starting && child->can_finish)
        child->due.reset(); // the deadline replaces its start timeout
    }
    hand_down_deadline();
  }

  void take(const supervisor_input::ChildFinished& x) {
    if (const auto child = with_actor(x.actor))
      child->is_unfinished = false;
  }

  void hand_down_deadline() {
    for (const auto& child : children_) {
      const auto is_killed = child->state == ChildState::ending && child->is_killed;
      if (child->is_alive() && child->can_finish && !is_killed)
        ask(supervisor_effect::Finish{{child->name, child->incarnation}, deadline_});
      shorten(*child);
    }
  }

  void lose_grace() {
    const auto had_it = is_ending_with_grace();
    keeps_grace_ = false;
    if (!had_it)
      return;
    for (const auto& child : children_) {
      const auto is_asked = child->state == ChildState::ending && !child->is_killed;
      if (is_asked && std::exchange(child->keeps_grace, false))
        ask(supervisor_effect::TellToEnd{{child->name, child->incarnation}});
      shorten(*child);
    }
  }

  void go_on_finishing() {
    const auto is_anybody_unfinished =
      std::any_of(children_.begin(), children_.end(),
                  [](const auto& x) { return x->is_unfinished && is_up_or_to_be(*x); });
    if (ends_when_finished_ && (!is_anybody_unfinished || deadline_ <= now_))
      stop(QuitReason::told, nullptr, {}, StoppedBecause::done);
    else if (!is_anybody_unfinished && !std::exchange(is_finish_told_, true))
      ask(supervisor_effect::Finished{});
  }

  // From then on the order counts no more.
  std::optional<Instant> end_of_order() const {
    return deadline_ == Instant::never() ? std::nullopt
                                         : std::optional{deadline_ + options_.kill_grace};
  }

  // -- control ---------------------------------------------------------------------------

  void take(const supervisor_input::StartChild& x) {
    if (is_closing())
      return answer(x.ticket, SupervisorError::stopping, nullptr);
    if (const auto known = with_id(x.entry.id); known && !x.entry.id.empty())
      return answer(x.ticket,
                    known->is_alive() ? SupervisorError::already_started
                                      : SupervisorError::already_present,
                    known);
    if (children_.size() >= options_.max_children)
      return answer(x.ticket, SupervisorError::max_children, nullptr);
    const auto child = add(x.entry);
    ask(supervisor_effect::KeepChild{child->name, x.ticket});
    tell(supervisor_event::ChildAdded{now_, child->id});
    child->starter = Child::Starter{x.ticket, true};
    start_on_request(child);
  }

  void take(const supervisor_input::TerminateChild& x) {
    const auto child = with_id(x.id);
    if (!child)
      return answer(x.ticket, SupervisorError::not_found, nullptr);
    answer_starter(child, SupervisorError::terminated);
    if (child->state == ChildState::stopped)
      return answer(x.ticket, std::nullopt, child);
    child->terminators.push_back(x.ticket);
    child->is_awaited = child->is_member && stage_ == Stage::ending;
    child->is_member = false;
    if (child->state == ChildState::waiting)
      return stopped(child, StoppedBecause::terminated);
    if (child->state != ChildState::ending)
      return tell_to_end(child, Child::Then::stop);
    child->then = Child::Then::stop;
  }

  void take(const supervisor_input::RestartChild& x) {
    const auto child = with_id(x.id);
    if (!child)
      return answer(x.ticket, SupervisorError::not_found, nullptr);
    if (is_closing())
      return answer(x.ticket, SupervisorError::stopping, child);
    if (child->state != ChildState::stopped)
      return answer(x.ticket, why_not_down(*child), child);
    child->starter = Child::Starter{x.ticket, false};
    start_on_request(child);
  }

  void take(const supervisor_input::DeleteChild& x) {
    const auto child = with_id(x.id);
    if (!child)
      return answer(x.ticket, SupervisorError::not_found, nullptr);
    if (child->state != ChildState::stopped)
      return answer(x.ticket, why_not_down(*child), child);
    answer(x.ticket, std::nullopt, child);
    if (!is_closing()) // otherwise it goes with the supervisor
      remove(child);
  }

  void take(const supervisor_input::RetryNow& x) {
    const auto child = with_id(x.id);
    if (!child)
      return answer(x.ticket, SupervisorError::not_found, nullptr);
    if (child->state == ChildState::stopped)
      return answer(x.ticket, SupervisorError::not_running, child);
    const auto is_in_row = child->state == ChildState::ending && child->is_member;
    if (child->state != ChildState::waiting && !is_in_row)
      return answer(x.ticket, why_not_down(*child), child);
    if (child->is_member)
      row_due_ = std::min(row_due_, now_);
    else if (child->turn == 0)
      child->due = now_;
    answer(x.ticket, std::nullopt, child);
  }

  static SupervisorError why_not_down(const Child& x) {
    switch (x.state) {
    case ChildState::running:
      return SupervisorError::running;
    case ChildState::ending:
      return SupervisorError::ending;
    default:
      return SupervisorError::restarting;
    }
  }

  // -- the end ---------------------------------------------------------------------------

  void go_on_stopping() {
    if (end_of_order() && *end_of_order() <= now_ && !std::exchange(are_all_told_, true))
      for (auto x = children_.rbegin(); x != children_.rend() && !options_.is_dynamic; ++x)
        if (is_up_or_to_be(**x))
          tell_to_end(*x, Child::Then::stop);
    for (auto i = children_.size(); i-- > 0;) {
      const auto& x = children_[options_.is_dynamic ? children_.size() - 1 - i : i];
      if (is_up_or_to_be(*x))
        tell_to_end(x, Child::Then::stop);
      if (x->is_alive() && !options_.is_dynamic)
        return;
    }
    for (const auto& x : children_)
      if (x->is_alive())
        return;
    phase_ = SupervisorPhase::stopped;
    tell(supervisor_event::Stopped{now_});
    ask(supervisor_effect::Quit{});
  }

  // -- time ------------------------------------------------------------------------------

  // Of those that are due, the one that has been for the longest.
  template <class Predicate>
  ChildPtr due_child(Predicate is_meant) const {
    ChildPtr result;
    for (const auto& x : children_)
      if (x->due && *x->due <= now_ && is_meant(*x))
        if (!result
            || std::pair{*x->due, x->name.serial} < std::pair{*result->due, result->name.serial})
          result = x;
    return result;
  }

  void ask_for_wake_up() {
    std::optional<Instant> earliest;
    const auto consider = [&](std::optional<Instant> at) {
      if (at && (!earliest || *at < *earliest))
        earliest = at;
    };
    for (const auto& x : children_)
      if (x->turn == 0)
        consider(x->due);
    if (stage_ == Stage::waiting)
      consider(row_due_);
    consider(held_up_since_);
    if (phase_ == SupervisorPhase::finishing && ends_when_finished_
        && deadline_ != Instant::never())
      consider(deadline_);
    if (phase_ == SupervisorPhase::stopping && !are_all_told_ && !options_.is_dynamic)
      consider(end_of_order());
    if (!earliest || earliest == asked_for_)
      return;
    asked_for_ = earliest;
    ask(supervisor_effect::WakeAt{*earliest});
  }

  bool has_begun_ = false;
  bool are_all_told_ = false; // to end, whatever the order
  bool is_to_finish_ = false; // at some time
  std::uint64_t turns_ = 0;
  std::optional<Instant> asked_for_{};
};

} // namespace backoff_actor::model_test
