#pragma once

// Inside of the supervisor's engine; not for its users. An object of this class carries out one
// step. Each part of the class has its own file:
//
//   supervisor_starts.cpp         starts children, and handles whether they come up
//   supervisor_failures.cpp       charges a failure, and checks the limits
//   supervisor_group_restart.cpp  decides if a child restarts alone, or with which siblings
//   supervisor_child_endings.cpp  tells children to end, and handles what follows
//   supervisor_requests.cpp       handles an operator's commands
//   supervisor_wake_up.cpp        handles what is due, and ends every step
//   supervisor_end.cpp            ends the supervisor and its children, after they have finished

#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/engine/supervisor/internal/supervisor_state.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace backoff_actor {

class BACKOFF_ACTOR_HIDDEN SupervisorEngine::Step {
public:
  Step(State& state, Instant now, SupervisorEffects& effects)
    : state_(state), options_(*state.options), now_(now), effects_(effects),
      has_ended_(state.phase == SupervisorPhase::stopped) {}

  void operator()(const supervisor_input::Start&);
  void operator()(const supervisor_input::StartChild& x);
  void operator()(const supervisor_input::TerminateChild& x);
  void operator()(const supervisor_input::RestartChild& x);
  void operator()(const supervisor_input::DeleteChild& x);
  void operator()(const supervisor_input::RetryNow& x);
  void operator()(const supervisor_input::ChildMade& x);
  void operator()(const supervisor_input::ChildUp& x);
  void operator()(const supervisor_input::StartFailed& x);
  void operator()(const supervisor_input::ChildNotUp& x);
  void operator()(const supervisor_input::ChildDown& x);
  void operator()(const supervisor_input::Wake&);
  void operator()(const supervisor_input::Stop& x);
  void operator()(const supervisor_input::ChildFinished& x);
  void operator()(const supervisor_input::Finish& x);

  // Ends every step: does whatever has become possible.
  void finish();

private:
  using Slot = State::Slot;
  using Stage = State::Row::Stage;
  using Then = Child::Then;
  using QuitReason = supervisor_effect::QuitReason;
  static constexpr Slot none = State::none;

  Child& child(Slot slot) { return state_.children[slot]; }

  void emit(SupervisorEffect effect) { effects_.push_back(std::move(effect)); }

  // Without a hook, events cost nothing: they are not even made. After the end there are no events.
  template <class MakeEvent>
  void observe(MakeEvent make_event) {
    if (!options_.on_event || has_ended_)
      return;
    SupervisorEvent event{make_event()};
    event.of = options_.name;
    try {
      options_.on_event(event);
    } catch (...) { // no child suffers from it
      emit(supervisor_effect::HookFailed{detail::thrown_text(std::current_exception())});
    }
  }

  // The child that failed or ended. This stays valid after the child is gone.
  struct Blamed {
    ChildName name{};
    std::string id{};
  };

  Blamed blamed(Slot slot) { return {state_.name_of(slot), child(slot).id}; }

  // Returns the child if this actor is its present one and alive; `none` if the name is stale.
  Slot living(const ChildActor& actor) const;
  bool is_closing() const { return state_.phase >= SupervisorPhase::finishing; }

  // -- starts -----------------------------------------------------------------------

  void start(Slot slot);
  void up(Slot slot);
  void not_up(Slot slot, Cause cause, Directive directive);
  void fail_start(Slot slot, std::shared_ptr<const Cause> cause, Directive directive);

  // -- failures -----------------------------------------------------------------------

  void ended_by_itself(Slot slot, Ending ending, const std::shared_ptr<const Cause>& cause,
                       Directive directive);
  void charge(Slot slot, std::shared_ptr<const Cause> cause);
  bool charge_limits(Slot slot);
  void wait(Slot slot, Instant due);
  void work_is_done(Slot slot);
  void resume(Slot slot);

  // -- endings ------------------------------------------------------------------------

  void tell_to_end(Slot slot, Then then);
  Instant end_of_time(const Child& child) const;
  void shorten(Slot slot, Instant at);
  void kill(Slot slot);
  void overdue(Slot slot);
  void ended(Slot slot, Ending ending, const std::shared_ptr<const Cause>& cause,
             Directive directive);
  void after_end(Slot slot, Ending ending, const std::shared_ptr<const Cause>& cause,
                 Directive directive);
  void go_with_row(Slot slot);
  void stay_away(Slot slot, StoppedBecause reason);
  void settle(Slot slot, StoppedBecause reason);
  void remove(Slot slot);
  void leave_row(Slot slot);
  void not_due(Slot slot);

  // -- rows -----------------------------------------------------------------------------

  bool group_is_to_restart() const;
  void restart_alone_or_with_group(Slot slot, Instant due);
  void join_row(Slot slot, Instant due);
  void start_ready();
  void hold_up();
  void start_on_request(Slot slot);
  bool joins_row(Slot slot) const;
  void advance_row();
  bool end_row();
  void start_row();
  void tell_started();
  void begin_finish();
  void advance_finish();
  void hand_down_deadline();
  void lose_grace();
  bool keeps_grace() const {
    return state_.keeps_grace && state_.phase == SupervisorPhase::stopping;
  }
  Instant end_of_order() const { return state_.deadline + options_.kill_grace; }
  void stop_all(QuitReason reason, const Blamed& who, const Cause& cause);
  void forget_plans();
  void stay_down(Slot slot);
  void end_if_up(Slot slot);
  void advance_end();
  void ask_for_wake();

  // -- control ----------------------------------------------------------------------------

  void answer(Ticket ticket, std::optional<SupervisorError> error, Slot slot = none,
              Cause cause = {});
  void answer_starter(Slot slot, std::optional<SupervisorError> error, Cause cause = {});
  Slot wanted(Ticket ticket, std::string_view id);
  std::optional<SupervisorError> hindrance(Slot slot);

  State& state_;
  const SupervisorEngineOptions& options_;
  Instant now_;
  SupervisorEffects& effects_;
  bool has_ended_; // in an earlier step
};

} // namespace backoff_actor
