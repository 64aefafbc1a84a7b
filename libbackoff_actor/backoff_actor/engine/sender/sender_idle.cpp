// What a sender remembers while it has nothing to do: when `Work` is freed, what is kept of it, and
// how it continues.

#include "backoff_actor/engine/sender/internal/sender_work.hpp"
#include "backoff_actor/engine/sender/internal/worker_pool.hpp"

namespace backoff_actor {

SenderEngine::Work::Work(const EngineOptions& options, std::uint64_t stream,
                         const IdleState* idle_state)
  : backlog(options.ordering, idle_state != nullptr ? idle_state->last_tag : options.last_tag),
    gate(options.guard.get(), options.ordering == Ordering::strict),
    primary(options, stream, options.max_in_flight) {
  if (!options.pool.kinds.empty()) {
    pool = std::make_unique<Pool>(options.pool);
    primary.window = primary.full_window = options.pool.kinds.front().max_in_flight;
  }
  if (idle_state == nullptr)
    return;
  if (idle_state->history) {
    resume(*idle_state->history);
  } else {
    first_child_is(true);
    primary.was_handed_something = true;
  }
  counters.accepted = idle_state->accepted;
  counters.acknowledged = idle_state->acknowledged;
  counters.hand_overs = idle_state->hand_overs;
  last_delivery = idle_state->last_delivery;
  primary.backoff.resets = idle_state->resets;
  wake_at = idle_state->wake_at;
  gate.set_last_second_of_rate(idle_state->last_second_of_rate);
}

void SenderEngine::Work::resume(const FailureHistory& history) {
  counters = history.counters;
  restarts = history.restarts;
  primary_starts = history.starts;
  last_incarnation = history.last_incarnation;
  last_epoch = history.last_epoch;
  gate.set_draws(history.guard_draws);
  primary.backoff = history.backoff;
  primary.incarnation = history.incarnation;
  primary.epoch = history.epoch;
  primary.window = history.window;
  primary.full_window = history.full_window;
  primary.probe = history.probe;
  primary.child = history.is_alone ? Lane::Child::none : Lane::Child::alive;
  primary.is_done = history.is_done;
  primary.was_handed_something = history.was_handed_something;
}

SenderEngine::Work::~Work() = default;

// The other members need no check. Some of them are empty whenever the backlog is. The rest is not
// read any more: the end of an earlier delay, and the time of a failure that a success has
// followed.
bool SenderEngine::Work::is_idle() const {
  return !pool && backlog.is_vacant() && mode != Mode::on_fallback && mode != Mode::returning
         && mode != Mode::finishing && mode != Mode::ending
         && (primary.child == Lane::Child::alive || primary.child == Lane::Child::none)
         && !primary.delay_runs && !primary.is_failing && !primary.backoff.is_started()
         && !primary.probe_is_out && !last_failure && !is_paused && !is_store_behind && !is_draining
         && sure_until == Instant::never() && gate.is_idle() && !start_is_put_off
         && abandoned.empty();
}

void SenderEngine::Work::save_to(IdleState& result, const EngineOptions& options) {
  result.accepted = counters.accepted;
  result.acknowledged = counters.acknowledged;
  result.hand_overs = counters.hand_overs;
  result.last_delivery = last_delivery;
  result.resets = primary.backoff.resets;
  result.wake_at = wake_at;
  result.last_tag = backlog.last_tag();
  result.last_second_of_rate = gate.last_second_of_rate();
  if (!result.history && has_failure_history(options))
    result.history = std::make_unique<FailureHistory>();
  if (result.history)
    *result.history = {counters,
                       primary.backoff,
                       restarts,
                       primary_starts,
                       primary.incarnation,
                       last_incarnation,
                       primary.epoch,
                       last_epoch,
                       primary.window,
                       primary.full_window,
                       primary.probe,
                       gate.draws(),
                       primary.child == Lane::Child::none,
                       primary.is_done,
                       primary.was_handed_something};
}

// Whether there is more to remember than `IdleState` has room for.
bool SenderEngine::Work::has_failure_history(const EngineOptions& options) const {
  auto rare = counters;
  rare.accepted = rare.acknowledged = rare.hand_overs = 0; // an `IdleState` has these
  const auto& initial = options.backoff.state();
  return rare != SenderCounters{} || primary.child != Lane::Child::alive || primary_starts != 1
         || last_incarnation != 1 || last_epoch != 0 || !primary.was_handed_something
         || primary.window != options.max_in_flight || primary.full_window != options.max_in_flight
         || primary.probe != 0 || gate.draws() != 0 || !(restarts == RestartWindow{})
         || !(primary.backoff.progress == initial.progress)
         || primary.backoff.wait_time != initial.wait_time;
}

} // namespace backoff_actor
