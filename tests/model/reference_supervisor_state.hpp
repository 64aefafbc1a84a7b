#pragma once

#include "reference_child.hpp"
#include "supervisor_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// What a supervisor knows: the children in a plain vector, in order, and everything looked up by
/// walking through it.
class ReferenceSupervisorState {
public:
  using Child = ReferenceChild;

  /// What the last step asked for, and what it told.
  Lines taken, told;

  ReferenceSupervisorState(SupervisorEngineOptions options, const std::vector<ChildEntry>& first)
    : options_(std::move(options)) {
    for (const auto& entry : first) {
      const auto child = add(entry);
      child->is_first = true;
      child->is_member = true;
    }
  }

  // -- what can be asked -----------------------------------------------------------------

  SupervisorPhase phase() const { return phase_; }
  bool is_closing() const { return phase_ >= SupervisorPhase::finishing; }

  ChildCounts count() const {
    ChildCounts result;
    result.specs = children_.size();
    for (const auto& x : children_) {
      result.active += x->is_alive() ? 1U : 0U;
      result.running += x->state == ChildState::running ? 1U : 0U;
      result.waiting += x->state == ChildState::waiting ? 1U : 0U;
      result.stopped += x->state == ChildState::stopped ? 1U : 0U;
    }
    result.restarts = restarts_;
    result.abandoned = abandoned_.size();
    return result;
  }

  std::vector<ChildName> names() const {
    std::vector<ChildName> result;
    for (const auto& x : children_)
      result.push_back(x->name);
    return result;
  }

  /// How they all stand, in order.
  std::vector<ChildStatus> statuses(Instant now) const {
    std::vector<ChildStatus> result;
    for (const auto& x : children_)
      result.push_back(status(*x, now));
    return result;
  }

protected:
  using ChildPtr = std::shared_ptr<Child>;
  using QuitReason = supervisor_effect::QuitReason;
  enum class Stage { none, ending, waiting, starting };

  // -- children --------------------------------------------------------------------------

  ChildPtr with_name(ChildName name) const {
    for (const auto& x : children_)
      if (x->name == name)
        return x;
    return nullptr;
  }
  ChildPtr with_id(const std::string& id) const {
    for (const auto& x : children_)
      if (x->id == id)
        return x;
    return nullptr;
  }

  // The one whose present actor this is, and lives.
  ChildPtr with_actor(const ChildActor& actor) const {
    const auto child = with_name(actor.child);
    return child && child->incarnation == actor.incarnation && child->is_alive() ? child : nullptr;
  }

  ChildPtr add(const ChildEntry& entry) {
    ChildName name{slots_, ++serials_};
    if (free_slots_.empty()) {
      ++slots_;
    } else {
      name.slot = free_slots_.back();
      free_slots_.pop_back();
    }
    auto id = entry.id.empty() ? number(name.serial) : entry.id;
    while (entry.id.empty() && with_id(id))
      id += "'";
    children_.push_back(std::make_shared<Child>(
      Child{name, id, entry.options, false, entry.options->backoff.start()}));
    return children_.back();
  }

  void remove(const ChildPtr& child) {
    tell(supervisor_event::ChildRemoved{now_, child->id});
    answer_starter(child, SupervisorError::terminated);
    ask(supervisor_effect::ForgetChild{child->name});
    free_slots_.push_back(child->name.slot);
    std::erase(children_, child);
  }

  static bool is_up_or_to_be(const Child& x) {
    return x.state == ChildState::running || x.state == ChildState::starting;
  }

  ChildStatus status(const Child& x, Instant now) const {
    ChildStatus result;
    result.id = x.id;
    result.state = x.state;
    result.restart = x.options->restart;
    result.stopped = x.stopped;
    result.incarnation = x.incarnation;
    result.restarts = x.restarts;
    result.failures = x.progress.retries;
    if (x.state == ChildState::running && now - x.up_since >= x.options->time_to_be_healthy())
      result.failures = 0;
    if (const auto at = restart_of(x)) {
      result.is_due = true;
      result.due_in = std::max(*at - now, Duration{0});
    }
    if (x.state == ChildState::running)
      result.up_for = now - x.up_since;
    result.cause = x.cause.text;
    return result;
  }

  std::optional<Instant> restart_of(const Child& x) const {
    if (x.state != ChildState::waiting)
      return std::nullopt;
    if (!x.is_member)
      return x.due;
    return stage_ == Stage::ending || stage_ == Stage::waiting ? std::optional{row_due_}
                                                               : std::nullopt;
  }

  // -- what is asked for and told --------------------------------------------------------

  template <class Effect>
  void ask(const Effect& x) {
    taken.push_back(line(x));
  }
  // Nothing comes after the news of the end.
  template <class Event>
  void tell(const Event& x) {
    if (phase_ != SupervisorPhase::stopped || std::is_same_v<Event, supervisor_event::Stopped>)
      told.push_back(describe(x.at) + " " + line(x));
  }
  void answer(Ticket ticket, std::optional<SupervisorError> error, const ChildPtr& child,
              const Cause& cause = {}) {
    ask(supervisor_effect::Answer{ticket, error, child ? child->name : ChildName{}, cause});
  }
  void answer_starter(const ChildPtr& child, std::optional<SupervisorError> error,
                      const Cause& cause = {}) {
    if (const auto starter = std::exchange(child->starter, std::nullopt))
      answer(starter->ticket, error, child, cause);
  }

  // -- what there is ---------------------------------------------------------------------

  SupervisorEngineOptions options_;
  SupervisorPhase phase_ = SupervisorPhase::starting;
  std::vector<ChildPtr> children_{};
  std::uint32_t slots_ = 0; // ever, the free ones included
  std::uint32_t serials_ = 0;
  std::vector<std::uint32_t> free_slots_{}; // the last is taken first
  std::vector<ChildActor> abandoned_{};
  std::vector<Instant> failures_{}; // counted as restarts, all that there ever were
  std::uint64_t restarts_ = 0;

  Stage stage_ = Stage::none; // of the row
  Instant row_due_{};
  std::optional<Instant> held_up_since_{}; // starts wait for the next wake-up

  Instant deadline_ = Instant::never(); // of the grace
  bool ends_when_finished_ = false;
  bool is_finish_told_ = false;
  bool keeps_grace_ = false; // when it stops

  Instant now_{};
};

} // namespace backoff_actor::model_test
