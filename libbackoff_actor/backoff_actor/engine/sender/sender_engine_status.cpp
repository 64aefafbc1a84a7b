// The status of the sender, and the part of it that monitoring reads.

#include "backoff_actor/engine/sender/internal/sender_work.hpp"
#include "backoff_actor/engine/sender/internal/worker_pool.hpp"

#include <algorithm>

namespace backoff_actor {

// Whether only retries could be handed over now, and the guard has no budget for them.
bool SenderEngine::Work::waits_for_budget() const {
  return gate.retries_are_held_back() && backlog.next() != DeliverySlots::none
         && backlog.next_fresh() == DeliverySlots::none;
}

// When the engine asks the guard again, if the guard holds back the next hand-over.
std::optional<Instant> SenderEngine::Work::held_until() const {
  if (!lanes.first().is_wanted && lanes.fallback() != nullptr)
    return std::nullopt;
  if (gate.is_held_back())
    return gate.held_back_until();
  return waits_for_budget() ? std::optional{gate.retries_held_back_until()} : std::nullopt;
}

Phase SenderEngine::Work::phase() const {
  if (mode == Mode::ending)
    return Phase::stopping;
  if (mode == Mode::finishing)
    return Phase::finishing;
  if (is_draining)
    return Phase::draining;
  if (held_until() != std::nullopt || lanes_due() != Instant::never())
    return Phase::waiting;
  return living_child() != 0 ? Phase::running : Phase::starting;
}

// Of the first lane that is wanted and has one.
std::uint32_t SenderEngine::Work::living_child() const {
  for (const auto& lane : lanes)
    if (lane.child == Lane::Child::alive && lane.is_wanted && mode != Mode::ending)
      return lane.incarnation;
  return 0;
}

// When a lane may be given something; never: one may now, or none waits for a time.
Instant SenderEngine::Work::lanes_due() const {
  if (pool && pool->count(Pool::serving) != 0 && !pool->is_held_by_service())
    return Instant::never();
  auto result = Instant::never();
  for (const auto& lane : lanes) {
    if (!lane.is_wanted || (lane.child != Lane::Child::alive && !lane.delay_runs))
      continue;
    const auto* const kind = pool ? &pool->kinds[lane.kind] : nullptr;
    const auto is_held = kind != nullptr && kind->is_held();
    if (!lane.delay_runs && !is_held)
      return Instant::never();
    const auto free = lane.delay_runs ? lane.due : kind->held_until;
    result = std::min(result, is_held ? std::max(free, kind->held_until) : free);
  }
  return result;
}

Instant SenderEngine::Work::due() const {
  const auto held = held_until();
  const auto free = lanes_due();
  return free == Instant::never() ? held.value_or(free) : std::max(free, held.value_or(free));
}

SenderGlance SenderEngine::Work::glance(bool is_stopped) const {
  SenderGlance result;
  result.counters = counters;
  result.restarts = restarts_so_far;
  result.abandoned = abandoned.size();
  result.is_paused = is_paused;
  result.is_store_behind = is_store_behind;
  result.is_on_fallback = lanes.fallback() != nullptr;
  result.phase = is_stopped ? Phase::stopped : phase();
  if (is_stopped)
    return result;
  result.due = due();
  result.is_delayed = result.due != Instant::never();
  result.is_held_back = gate.is_held_back() || waits_for_budget();
  result.owed = backlog.size();
  result.owed_bytes = backlog.owed().bytes;
  result.in_flight = backlog.size_in_flight();
  result.ghosts = backlog.ghosts();
  result.scheduled = backlog.size_scheduled();
  result.with_note = backlog.size_with_note();
  if (backlog.front() != DeliverySlots::none)
    result.oldest_since = backlog[backlog.front()].submitted_at;
  if (evidence && !evidence->of_service.is_quiet()) {
    result.failing_since = evidence->of_service.failing_since();
    result.is_service_down = evidence->of_service.is_down();
  }
  return result;
}

PoolGlance SenderEngine::Work::pool_glance(bool is_stopped) const {
  PoolGlance result;
  const auto held_for = [this](Pool::HeldBy what) {
    return pool->held_for[static_cast<std::size_t>(what)];
  };
  result.held_back_by_guard = held_for(Pool::HeldBy::guard);
  result.held_back_by_rate = held_for(Pool::HeldBy::rate);
  result.held_back_by_service = held_for(Pool::HeldBy::service);
  result.held_back_by_workers = held_for(Pool::HeldBy::workers);
  if (is_stopped)
    return result;
  const std::uint64_t serving = pool->count(Pool::serving);
  const std::uint64_t waiting = pool->count(Pool::waiting);
  const std::uint64_t leaving = pool->count(Pool::leaving);
  const std::uint64_t resting = pool->count(Pool::resting);
  result.workers = {pool->count(Pool::all) - serving - waiting - leaving - resting, serving,
                    waiting, leaving, resting};
  result.ready = backlog.size_ready();
  return result;
}

SenderStatus SenderEngine::Work::status(Instant now, bool is_stopped) const {
  const auto numbers = glance(is_stopped);
  SenderStatus result{numbers};
  result.phase = numbers.phase;
  result.incarnation = last_incarnation;
  if (result.is_held_back)
    result.held_back_by = gate.is_held_back() ? gate.held_back_by() : HeldBackBy::retry_budget;
  if (numbers.oldest_since != Instant::never())
    result.oldest_age = now - numbers.oldest_since;
  if (result.is_delayed)
    result.due_in = std::max(Duration::zero(), numbers.due - now);
  const auto& backoff = lanes.first().backoff;
  result.retries = backoff.progress.retries;
  result.total_retries = backoff.progress.draws;
  result.resets = backoff.resets;
  result.last_delay = backoff.wait_time;
  if (is_stopped)
    return result;
  result.unstored = backlog.unstored();
  if (numbers.failing_since != Instant::never()) {
    result.nothing_succeeded_for = now - numbers.failing_since;
    result.unanswered_failures = evidence->of_service.failures();
  }
  if (pool)
    result.pool = pool_status(now);
  return result;
}

PoolStatus SenderEngine::Work::pool_status(Instant now) const {
  PoolStatus result;
  for (const auto& lane : lanes)
    if (lane.is_wanted || lane.is_retiring)
      result.workers.push_back(worker_status(lane, now));
  result.ready = backlog.size_ready();
  for (const auto& kind : pool->kinds)
    result.kinds.push_back(
      {.workers = kind.settings.workers,
       .held_by_service_for =
         kind.is_held() ? std::max(Duration::zero(), kind.held_until - now) : Duration::zero()});
  return result;
}

WorkerStatus SenderEngine::Work::worker_status(const Lane& lane, Instant now) {
  WorkerStatus result;
  result.number = lane.index + 1U;
  result.kind = lane.kind;
  result.state = lane.is_retiring || lane.child == Lane::Child::leaving ? WorkerState::leaving
                 : lane.delay_runs                                      ? WorkerState::waiting
                 : lane.child == Lane::Child::alive                     ? WorkerState::serving
                 : lane.is_done                                         ? WorkerState::resting
                                                                        : WorkerState::starting;
  result.incarnation = lane.incarnation;
  result.holds = lane.in_flight.count;
  result.may_hold = lane.window;
  result.due_in = lane.delay_runs ? std::max(Duration::zero(), lane.due - now) : Duration::zero();
  result.retries = lane.backoff.progress.retries;
  return result;
}

} // namespace backoff_actor
