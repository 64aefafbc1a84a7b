// What a sender remembers while it has nothing to do: when `Work` is freed, what is kept of it, and
// how it continues.

#include "backoff_actor/engine/sender/internal/sender_work.hpp"
#include "backoff_actor/engine/sender/internal/worker_pool.hpp"

namespace backoff_actor {

SenderEngine::Work::Work(const EngineOptions& options, std::uint64_t stream,
                         const IdleState* idle_state)
  : backlog(options.ordering, idle_state != nullptr ? idle_state->last_tag : options.last_tag),
    gate(options.guard.get(), options.ordering == Ordering::strict),
    lanes(options, stream,
          options.pool.kinds.empty() ? options.max_in_flight
                                     : options.pool.kinds.front().max_in_flight) {
  if (options.pool.kinds.empty())
    lanes.first().is_wanted = true;
  else
    pool = std::make_unique<Pool>(options.pool);
  if (idle_state == nullptr)
    return;
  if (idle_state->history) {
    resume(*idle_state->history);
  } else {
    first_child_is(true);
    lanes.first().was_handed_something = true;
  }
  counters.accepted = idle_state->accepted;
  counters.acknowledged = idle_state->acknowledged;
  counters.hand_overs = idle_state->hand_overs;
  last_delivery = idle_state->last_delivery;
  lanes.first().backoff.resets = idle_state->resets;
  wake_at = idle_state->wake_at;
  gate.set_last_second_of_rate(idle_state->last_second_of_rate);
}

void SenderEngine::Work::resume(const FailureHistory& history) {
  counters = history.counters;
  restarts = history.restarts;
  restarts_so_far = history.restarts_so_far;
  last_incarnation = history.last_incarnation;
  last_epoch = history.last_epoch;
  gate.set_draws(history.guard_draws);
  auto& lane = lanes.first();
  lane.backoff = history.backoff;
  lane.incarnation = history.incarnation;
  lane.epoch = history.epoch;
  lane.window = history.window;
  lane.full_window = history.full_window;
  lane.probe = history.probe;
  lane.child = history.is_alone ? Lane::Child::none : Lane::Child::alive;
  lane.is_done = history.is_done;
  lane.was_handed_something = history.was_handed_something;
}

SenderEngine::Work::~Work() = default;

// The other members need no check. Some of them are empty whenever the backlog is. The rest is not
// read any more: the end of an earlier delay, and the time of a failure that a success has
// followed.
bool SenderEngine::Work::is_idle() const {
  const auto& lane = lanes.first();
  return !pool && lanes.size() == 1 && backlog.is_vacant() && mode == Mode::normal
         && (lane.child == Lane::Child::alive || lane.child == Lane::Child::none)
         && !lane.delay_runs && !lane.is_failing && !lane.backoff.is_started() && !lane.probe_is_out
         && !lane.start_is_put_off && !last_failure && !is_paused && !is_store_behind
         && !is_draining && sure_until == Instant::never() && gate.is_idle() && abandoned.empty();
}

void SenderEngine::Work::save_to(IdleState& result, const EngineOptions& options) {
  const auto& lane = lanes.first();
  result.accepted = counters.accepted;
  result.acknowledged = counters.acknowledged;
  result.hand_overs = counters.hand_overs;
  result.last_delivery = last_delivery;
  result.resets = lane.backoff.resets;
  result.wake_at = wake_at;
  result.last_tag = backlog.last_tag();
  result.last_second_of_rate = gate.last_second_of_rate();
  if (!result.history && has_failure_history(options))
    result.history = std::make_unique<FailureHistory>();
  if (result.history)
    *result.history = {counters,
                       lane.backoff,
                       restarts,
                       restarts_so_far,
                       lane.incarnation,
                       last_incarnation,
                       lane.epoch,
                       last_epoch,
                       lane.window,
                       lane.full_window,
                       lane.probe,
                       gate.draws(),
                       lane.child == Lane::Child::none,
                       lane.is_done,
                       lane.was_handed_something};
}

// Whether there is more to remember than `IdleState` has room for.
bool SenderEngine::Work::has_failure_history(const EngineOptions& options) const {
  auto rare = counters;
  rare.accepted = rare.acknowledged = rare.hand_overs = 0; // an `IdleState` has these
  const auto& lane = lanes.first();
  const auto& initial = options.backoff.state();
  return rare != SenderCounters{} || lane.child != Lane::Child::alive || restarts_so_far != 0
         || last_incarnation != 1 || last_epoch != 0 || !lane.was_handed_something
         || lane.window != options.max_in_flight || lane.full_window != options.max_in_flight
         || lane.probe != 0 || gate.draws() != 0 || !(restarts == RestartWindow{})
         || !(lane.backoff.progress == initial.progress)
         || lane.backoff.wait_time != initial.wait_time;
}

} // namespace backoff_actor
