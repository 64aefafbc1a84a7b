#include "backoff_actor/engine/sender/internal/sender_idle.hpp"

#include "backoff_actor/engine/sender/internal/sender_work.hpp"

namespace backoff_actor {

SenderEngine::Work::Work(const EngineOptions& options, std::uint64_t stream, const Rest* rest)
  : outbox(rest != nullptr ? rest->last_tag : options.last_tag), turns(outbox, options.ordering),
    primary(options, stream),
    mode(options.guarantee == Guarantee::at_most_once ? Mode::forwarding : Mode::normal) {
  if (rest == nullptr)
    return;
  if (rest->past) {
    resume(*rest->past);
  } else {
    first_child_is(true);
    primary.was_handed_something = true;
  }
  counters.accepted = rest->accepted;
  counters.acknowledged = rest->acknowledged;
  counters.hand_overs = rest->hand_overs;
  counters.forwarded = rest->forwarded;
  last_delivery = rest->last_delivery;
  primary.backoff.resets = rest->resets;
  wake_at = rest->wake_at;
}

void SenderEngine::Work::resume(const Past& past) {
  counters = past.counters;
  restarts = past.restarts;
  primary_starts = past.starts;
  last_incarnation = past.last_incarnation;
  last_epoch = past.last_epoch;
  guard_draws = past.guard_draws;
  primary.backoff = past.backoff;
  primary.incarnation = past.incarnation;
  primary.epoch = past.epoch;
  primary.window = past.window;
  primary.full_window = past.full_window;
  primary.probe = past.probe;
  primary.child = past.is_alone ? Lane::Child::none : Lane::Child::alive;
  primary.is_done = past.is_done;
  primary.was_handed_something = past.was_handed_something;
}

// The members that are not checked here are empty while nothing is owed, or nothing reads them any
// more: the instants of an ended delay and of a failure that a success followed.
bool SenderEngine::Work::is_at_rest() const {
  return outbox.is_vacant() && mode != Mode::on_fallback && mode != Mode::returning
         && mode != Mode::ending
         && (primary.child == Lane::Child::alive || primary.child == Lane::Child::none)
         && !primary.delay_runs && !primary.is_failing && !primary.backoff.is_started()
         && !primary.probe_is_out && !last_failure && !is_paused && !is_store_behind && !is_draining
         && !is_held_back && !retries_are_held && !start_is_put_off && !ends_with_child
         && !permit_in_hand && abandoned.empty();
}

void SenderEngine::Work::rest(const EngineOptions& options, Rest& result) {
  result.accepted = counters.accepted;
  result.acknowledged = counters.acknowledged;
  result.hand_overs = counters.hand_overs;
  result.forwarded = counters.forwarded;
  result.last_delivery = last_delivery;
  result.resets = primary.backoff.resets;
  result.wake_at = wake_at;
  result.last_tag = outbox.last_tag();
  if (!result.past && has_past(options))
    result.past = std::make_unique<Past>();
  if (result.past)
    *result.past = {counters,
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
                    guard_draws,
                    primary.child == Lane::Child::none,
                    primary.is_done,
                    primary.was_handed_something};
}

// Whether there is more to remember than `Rest` has room for.
bool SenderEngine::Work::has_past(const EngineOptions& options) const {
  const auto& x = counters;
  const auto is_counted = (x.refused | x.dead_lettered | x.resends | x.nacks | x.crashes
                           | x.failed_starts | x.hangs | x.diverted | x.restored | x.suspended)
                          != 0;
  const auto& initial = options.backoff.state();
  return is_counted || primary.child != Lane::Child::alive || primary_starts != 1
         || last_incarnation != 1 || last_epoch != 0 || !primary.was_handed_something
         || primary.window != options.max_in_flight || primary.full_window != options.max_in_flight
         || primary.probe != 0 || guard_draws != 0 || !(restarts == RestartWindow{})
         || !(primary.backoff.progress == initial.progress)
         || primary.backoff.wait_time != initial.wait_time;
}

} // namespace backoff_actor
