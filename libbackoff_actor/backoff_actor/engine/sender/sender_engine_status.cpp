// The status of the sender, and the part of it that monitoring reads.

#include "backoff_actor/engine/sender/internal/sender_work.hpp"

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
  const auto& lane = serving_lane();
  if (lane.delay_runs || held_until() != std::nullopt)
    return Phase::waiting;
  return lane.child == Lane::Child::alive ? Phase::running : Phase::starting;
}

std::uint32_t SenderEngine::Work::living_child() const {
  const auto is_alive = [](const Lane& lane) { return lane.child == Lane::Child::alive; };
  if (mode == Mode::finishing && fallback && is_alive(*fallback))
    return fallback->incarnation;
  const auto& lane = serving_lane();
  return is_alive(lane) && mode != Mode::ending ? lane.incarnation : 0;
}

Instant SenderEngine::Work::due() const {
  const auto& lane = serving_lane();
  const auto held = held_until();
  if (!lane.delay_runs)
    return held.value_or(Instant::never());
  return std::max(lane.due, held.value_or(lane.due));
}

SenderGlance SenderEngine::Work::glance(bool is_stopped) const {
  SenderGlance result;
  result.counters = counters;
  result.restarts = primary_starts == 0 ? 0 : primary_starts - 1;
  result.abandoned = abandoned.size();
  result.is_paused = is_paused;
  result.is_store_behind = is_store_behind;
  result.is_on_fallback = fallback != nullptr;
  result.phase = is_stopped ? Phase::stopped : phase();
  if (is_stopped)
    return result;
  result.is_delayed = due() != Instant::never();
  result.is_held_back = gate.is_held_back() || waits_for_budget();
  result.owed = backlog.size();
  result.owed_bytes = backlog.owed().bytes;
  result.in_flight = backlog.size_in_flight();
  result.ghosts =
    primary.in_flight.count + (fallback ? fallback->in_flight.count : 0) - backlog.size_in_flight();
  if (!backlog.empty())
    result.oldest_since = backlog[backlog.front()].submitted_at;
  return result;
}

SenderStatus SenderEngine::Work::status(const EngineOptions& options, Instant now,
                                        bool is_stopped) const {
  const auto numbers = glance(is_stopped);
  SenderStatus result;
  result.phase = numbers.phase;
  result.incarnation = last_incarnation;
  result.is_paused = numbers.is_paused;
  result.is_held_back = numbers.is_held_back;
  if (result.is_held_back)
    result.held_back_by = gate.is_held_back() ? gate.held_back_by() : HeldBackBy::retry_budget;
  result.is_store_behind = numbers.is_store_behind;
  result.is_on_fallback = numbers.is_on_fallback;
  result.is_delayed = numbers.is_delayed;
  result.restarts = numbers.restarts;
  result.abandoned = static_cast<std::uint32_t>(numbers.abandoned);
  result.counters = numbers.counters;
  result.owed = numbers.owed;
  result.owed_bytes = numbers.owed_bytes;
  result.in_flight = numbers.in_flight;
  result.ghosts = numbers.ghosts;
  if (numbers.oldest_since != Instant::never())
    result.oldest_age = now - numbers.oldest_since;
  if (result.is_delayed)
    result.due_in = std::max(Duration::zero(), due() - now);
  // The next input will reset the backoff if the child is well; the status shows that already.
  const auto is_well =
    !is_stopped && mode == Mode::forwarding && primary.is_well(now, options.healthy_after);
  const auto backoff = is_well ? reset(options.backoff.policy(), primary.backoff) : primary.backoff;
  result.retries = backoff.progress.retries;
  result.total_retries = backoff.progress.draws;
  result.resets = backoff.resets;
  result.last_delay = backoff.wait_time;
  if (!is_stopped)
    result.unstored = backlog.unstored();
  return result;
}

} // namespace backoff_actor
