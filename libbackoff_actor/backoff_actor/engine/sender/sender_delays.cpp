// What a failure leads to: the next delay, of the lane or of the delivery, and its end.
// There are no separate timers: one wake-up checks the clock for everything that may be due.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

template <class Visit>
void SenderEngine::Step::for_each_due_lane(Visit visit) {
  if (!work_.pool)
    return for_primary_and_fallback(visit);
  for (const auto worker : work_.pool->looked_at)
    visit(work_.worker(worker));
}

// Returns the cause as a shared object. Reuses the last failure's object if both are the same,
// because a child often fails for the same reason again.
SenderEngine::Step::SharedCause SenderEngine::Step::shared(const Cause& cause) const {
  const auto& last = work_.last_failure;
  return last && last->code == cause.code && last->text == cause.text
           ? last
           : std::make_shared<const Cause>(cause);
}

// Begins a new epoch and the next delay, which lasts at least `at_least`. While the sender is
// finishing, nothing is retried: there is no delay then.
void SenderEngine::Step::fail(Lane& lane, const SharedCause& cause, Failed what,
                              Duration at_least) {
  if (is_ending())
    return;
  lane.epoch = ++work_.last_epoch;
  lane.window = 1;
  if (!std::exchange(lane.is_failing, true))
    lane.first_failure = now_;
  if (is_primary(lane))
    work_.last_failure = cause;
  if (is_finishing())
    return;
  const auto& policy = options_.backoff.policy();
  const auto u = unit_random(options_.backoff.seed(), lane.stream, lane.backoff.progress.draws);
  lane.backoff = next(policy, lane.backoff, u);
  const auto span = std::max(lane.backoff.wait_time, at_least);
  delay(lane, span);
  const auto is_over = is_over_limit(lane, what);
  if (is_over && !options_.has_fallback)
    return give_up(false, DeliverySlots::none, cause);
  if (options_.on_delay)
    options_.on_delay(span);
  observe_of(lane, [&] { return event::RetryScheduled{now_, span, lane.due, backoff_of(lane)}; });
  if (is_over)
    fall_back(cause);
  else if (is_primary(lane))
    stay_on_fallback();
}

// Starts a delay, or lengthens the running one. It never shortens it.
void SenderEngine::Step::delay(Lane& lane, Duration span) {
  if (is_closing())
    return;
  const auto due = now_ + span;
  lane.due = lane.delay_runs ? std::max(lane.due, due) : due;
  lane.delay_runs = true;
}

void SenderEngine::Step::end_delay(Lane& lane) {
  lane.delay_runs = false;
  lane.due = std::min(lane.due, now_);
  observe_of(lane, [&] { return event::DelayEnded{now_}; });
  if (lane.child == Child::none)
    revive(lane);
}

// A failed delivery waits for its own backoff after the delay of its lane, so that the others go
// first. In a pool, other workers take the others meanwhile, so its own backoff is enough.
void SenderEngine::Step::pause_deferred() {
  for (const auto& x : deferred_) {
    const auto others_go = x.lane->delay_runs && !work_.pool ? x.lane->due : now_;
    backlog_.pause(x.slot, std::max(others_go + own_delay(x.slot), now_ + x.at_least));
  }
}

// The next delay of a delivery's own backoff, drawn from its own random stream.
Duration SenderEngine::Step::own_delay(Slot slot) {
  const auto id = backlog_[slot].id;
  const auto& policy = options_.backoff.policy();
  auto& own_backoff = backlog_.own_backoff_of(slot);
  const auto own = own_backoff.value_or(policy.start());
  const auto stream = detail::mix(self_.stream_ ^ id);
  const auto u = unit_random(options_.backoff.seed(), stream, own.draws);
  const auto [progress, delay] = policy.next(own, u);
  own_backoff = progress;
  return delay;
}

void SenderEngine::Step::end_failures(Lane& lane) {
  lane.is_failing = false;
  if (is_primary(lane))
    work_.last_failure = nullptr;
  const auto was_started = lane.backoff.is_started();
  lane.backoff = reset(options_.backoff.policy(), lane.backoff);
  if (was_started)
    observe_of(lane, [&] { return event::BackOffReset{now_, backoff_of(lane)}; });
}

BackOff SenderEngine::Step::backoff_of(const Lane& lane) const {
  const auto& initial = options_.backoff;
  return {initial.policy(), initial.seed(), lane.stream, lane.backoff};
}

void SenderEngine::Step::operator()(const input::Wake&) {
  work_.wake_at = Instant::never();
  for (auto late = backlog_.first_late(now_); late != DeliverySlots::none;
       late = backlog_.first_late(now_))
    expire(late);
  take_due_workers();
  for_each_due_lane([&](Lane& lane) { check_grace(lane); });
  if (work_.end_of_patience <= now_)
    is_finishing() ? end_finishing() : press_children();
  for_each_due_lane([&](Lane& lane) { check_for_hang(lane); });
  backlog_.end_pauses(now_);
  forgive_hold(gate_.end_holds(now_));
  for_each_due_lane([&](Lane& lane) {
    if (lane.delay_runs && lane.due <= now_)
      end_delay(lane);
  });
  end_late_drains();
}

void SenderEngine::Step::end_late_drains() {
  auto& drains = work_.drains;
  while (!drains.empty() && drains.earliest().deadline <= now_) {
    emit(effect::Drained{drains.take_earliest().ticket, self_.owed()});
    observe([&] { return event::Drained{now_, self_.owed()}; });
    work_.is_draining = !drains.empty();
  }
}

} // namespace backoff_actor
