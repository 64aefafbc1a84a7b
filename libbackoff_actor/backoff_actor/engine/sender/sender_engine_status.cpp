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
  if (&serving_lane() != &primary)
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
  if (pool && (held_until() != std::nullopt || pool_due() != Instant::never()))
    return Phase::waiting;
  if (pool)
    return pool->count(Pool::serving) != 0 ? Phase::running : Phase::starting;
  const auto& lane = serving_lane();
  if (lane.delay_runs || held_until() != std::nullopt)
    return Phase::waiting;
  return lane.child == Lane::Child::alive ? Phase::running : Phase::starting;
}

std::uint32_t SenderEngine::Work::living_child() const {
  const auto is_alive = [](const Lane& lane) { return lane.child == Lane::Child::alive; };
  if (mode == Mode::finishing && fallback && is_alive(*fallback))
    return fallback->incarnation;
  if (pool && mode != Mode::ending)
    for (const auto& worker : pool->others)
      if (is_alive(*worker) && !is_alive(primary))
        return worker->incarnation;
  const auto& lane = serving_lane();
  return is_alive(lane) && mode != Mode::ending ? lane.incarnation : 0;
}

// When a worker of the pool may be given something; never: one may now, or none waits for a time.
Instant SenderEngine::Work::pool_due() const {
  if (pool->count(Pool::serving) != 0 && !pool->is_held_by_service())
    return Instant::never();
  auto result = Instant::never();
  for (std::uint16_t i = 0; i <= pool->others.size(); ++i) {
    const auto& lane = worker(i);
    const auto& kind = pool->kinds[lane.kind];
    if (!lane.is_wanted || (lane.child != Lane::Child::alive && !lane.delay_runs))
      continue;
    if (!lane.delay_runs && !kind.is_held())
      return Instant::never();
    result =
      std::min(result, lane.delay_runs ? std::max(lane.due, kind.held_until) : kind.held_until);
  }
  return result;
}

Instant SenderEngine::Work::due() const {
  const auto held = held_until();
  if (pool && pool_due() != Instant::never())
    return std::max(pool_due(), held.value_or(pool_due()));
  if (pool)
    return held.value_or(Instant::never());
  const auto& lane = serving_lane();
  if (!lane.delay_runs)
    return held.value_or(Instant::never());
  return std::max(lane.due, held.value_or(lane.due));
}

SenderGlance SenderEngine::Work::glance(bool is_stopped) const {
  SenderGlance result;
  result.counters = counters;
  result.restarts =
    primary_starts - (pool ? pool->first_starts : std::min(primary_starts, std::uint64_t{1}));
  result.abandoned = abandoned.size();
  result.is_paused = is_paused;
  result.is_store_behind = is_store_behind;
  result.is_on_fallback = fallback != nullptr;
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
  if (!backlog.empty())
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
  result.retries = primary.backoff.progress.retries;
  result.total_retries = primary.backoff.progress.draws;
  result.resets = primary.backoff.resets;
  result.last_delay = primary.backoff.wait_time;
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
  for (std::uint16_t i = 0; i <= pool->others.size(); ++i)
    if (const auto& lane = worker(i); lane.is_wanted || lane.is_retiring)
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
