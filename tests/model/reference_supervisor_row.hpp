#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"
#include "reference_supervisor_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace backoff_actor::model_test {

/// The row of a supervisor's children: they start in order, and end in reverse.
class ReferenceSupervisorRow : public ReferenceSupervisorRules {
public:
  using ReferenceSupervisorRules::ReferenceSupervisorRules;

protected:
  void hold_up() { held_up_since_ = held_up_since_.value_or(now_); }

  ChildPtr first_in_turn() const {
    ChildPtr result;
    for (const auto& x : children_)
      if (x->turn != 0 && (!result || x->turn < result->turn))
        result = x;
    return result;
  }

  bool is_batch_over() const { return starts_ >= SupervisorEngine::batch; }

  void start_in_turn(const ChildPtr& child) {
    ++starts_;
    start(child);
  }

  void begin_turns() {
    stage_ = Stage::starting;
    for (const auto& x : children_)
      x->had_turn = false;
  }

  // Who comes up after others that are to come is one of them; otherwise those behind wait for it.
  void start_on_request(const ChildPtr& child) {
    child->is_member = is_turn_to_come(child);
    if (child->is_member) {
      child->state = ChildState::waiting;
      child->stopped = StoppedBecause::not_stopped;
      return;
    }
    start(child);
    for (auto at = std::find(children_.begin(), children_.end(), child); at != children_.end();
         ++at)
      (*at)->had_turn = false;
  }

  bool is_turn_to_come(const ChildPtr& child) const {
    if (stage_ == Stage::none)
      return false;
    if (stage_ == Stage::starting)
      return !child->had_turn;
    auto is_behind = false;
    for (const auto& x : children_) {
      is_behind = is_behind || x == child;
      if (x->is_member && (!is_behind || options_.strategy == Strategy::one_for_all))
        return true;
    }
    return false;
  }

  void go_on_with_row() {
    if (stage_ == Stage::waiting && is_wake_ && now_ >= row_due_)
      begin_turns();
    if (stage_ == Stage::ending && is_row_down())
      stage_ = Stage::waiting; // until the next wake-up at least
    if (stage_ != Stage::starting || !is_row_up())
      return;
    stage_ = Stage::none;
    tell_started();
  }

  void tell_started() {
    if (phase_ != SupervisorPhase::starting)
      return;
    phase_ = SupervisorPhase::running;
    tell(supervisor_event::Started{now_});
    ask(supervisor_effect::Started{});
  }

  // The last first, each when the one behind it is down.
  bool is_row_down() {
    for (auto i = children_.size(); i-- > 0;) {
      const auto& x = children_[i];
      if (!(x->is_member || x->is_awaited) || !x->is_alive())
        continue;
      if (x->state != ChildState::ending)
        tell_to_end(x, Child::Then::row);
      return false;
    }
    return true;
  }

  // In order, each when the one before it is up.
  bool is_row_up() {
    for (const auto& x : children_) {
      if (x->had_turn)
        continue;
      if (!x->is_first)
        tell_started();
      if (x->is_member && x->state == ChildState::waiting && is_batch_over())
        hold_up();
      else if (x->is_member && x->state == ChildState::waiting)
        start_in_turn(x);
      const auto is_settled = x->state == ChildState::running || x->state == ChildState::stopped;
      if (x->state == ChildState::starting || (x->is_member && !is_settled))
        return false;
      x->is_member = false;
      x->had_turn = true;
    }
    return true;
  }

  bool is_wake_ = false;
  std::uint32_t starts_ = 0; // on this wake-up
};

} // namespace backoff_actor::model_test
