// What the guard of the service means for the lanes. The fallback does not call that service, so it
// is not guarded. The gate (guard_gate.hpp) asks and tells the guard.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

namespace backoff_actor {

// Whether this hand-over counts as a retry: the service may have been called for it before. A child
// that works on one delivery at a time never started those behind the culprit.
bool SenderEngine::Step::is_retry(Slot slot) const {
  const auto& delivery = backlog_[slot];
  return delivery.attempts != 0 || delivery.has_failed
         || (options_.works_on == WorksOn::many && delivery.incarnation != 0);
}

// What the retry of the delivery takes from a retry budget.
double SenderEngine::Step::cost_of(Slot slot) const {
  const auto* const own = retries_for(slot);
  return own != nullptr && own->cost ? *own->cost : 1;
}

// Whether the delivery may be handed to the lane's child. A hold is not a failure: the engine
// charges nothing and no backoff takes a step. After a wait for the breaker, the lane starts again
// with a window of one. A rate says nothing of the service's health.
bool SenderEngine::Step::is_admitted(const Lane& lane, Slot slot) {
  if (!is_guarded(lane))
    return true;
  return is_retry(slot) ? is_let_through(Call::retry, cost_of(slot)) : is_let_through(Call::first);
}

// Whether a child may be made for what is owed. Makes none while nothing could be handed to it.
bool SenderEngine::Step::may_start_one() {
  const auto slot = next_in_time();
  if (slot == DeliverySlots::none
      || (is_held_retry(slot) && next_fresh_in_time() == DeliverySlots::none))
    return false;
  return is_let_through(Call::start);
}

bool SenderEngine::Step::is_let_through(Call call, double cost) {
  const auto on_hold = [&](const HeldBack& answer, bool goes_on) {
    if (!goes_on)
      observe([&] { return event::GuardHeldBack{now_, answer.reason, answer.until}; });
    if (answer.reason == HeldBackBy::retry_budget || answer.reason == HeldBackBy::rate)
      return;
    for_each_lane([](Lane& lane) {
      if (!lane.is_fallback)
        lane.window = 1;
    });
  };
  return gate_.admits(call, now_, on_hold, cost);
}

// The time of a hold that has ended does not count towards `max_elapsed`.
void SenderEngine::Step::forgive_hold(Duration held_back) {
  if (held_back == Duration::zero())
    return;
  for_each_lane([&](Lane& lane) {
    if (lane.is_failing && !lane.is_fallback)
      lane.first_failure = lane.first_failure + held_back;
  });
}

// Makes the children whose start was put off: all if the guard is closed by now. If it is not, one
// for the call that it lets through, unless another child can take that.
void SenderEngine::Step::start_what_was_put_off() {
  const auto may_be_made = [](const Lane& lane) {
    return lane.start_is_put_off && lane.child == Child::none && !lane.delay_runs;
  };
  if ((work_.pool && work_.pool->count(Pool::put_off) == 0) || !work_.lanes.any(may_be_made))
    return;
  const auto is_closed = gate_.is_closed();
  if (!is_closed
      && (is_child_starting() || (work_.pool && free_worker(false) != nullptr) || !may_start_one()))
    return;
  for (auto& lane : work_.lanes) {
    if (!may_be_made(lane))
      continue;
    make_child(lane);
    if (!is_closed)
      break;
  }
  if (work_.pool)
    place_changed();
}

void SenderEngine::Step::operator()(const input::GuardClosed& x) {
  constexpr std::uint64_t stream_of_the_guard = 0x6775617264ULL;
  gate_.shorten_hold(now_, x.spread, options_.backoff.seed(),
                     detail::mix(self_.stream_ ^ stream_of_the_guard));
}

} // namespace backoff_actor
