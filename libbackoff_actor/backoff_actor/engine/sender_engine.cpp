#include "backoff_actor/engine/sender_engine.hpp"

#include "backoff_actor/engine/sender_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options)
  : options_(std::move(options)) {}

SenderEngine::~SenderEngine() = default;
SenderEngine::SenderEngine(SenderEngine&&) noexcept = default;
SenderEngine& SenderEngine::operator=(SenderEngine&&) noexcept = default;

void SenderEngine::step(Instant now, const Input& input, Effects& effects) {
  if (stopped_) {
    step_stopped(input, effects);
    return;
  }
  if (!work_) {
    if (step_young(now, input, effects))
      return;
    work_ = std::make_unique<Work>(*options_);
    if (youth_ != Youth::unborn)
      work_->first_child_is(youth_ == Youth::alive);
  }
  Step step{*this, now, effects};
  std::visit(step, input);
  step.finish();
  if (stopped_) {
    work_->outbox = {};
    options_ = nullptr; // the hook may hold handles that lead back to the driver
  }
}

// A sender that has only started its child gets along without `Work`. Returns whether that was all.
bool SenderEngine::step_young(Instant now, const Input& input, Effects& effects) {
  if (const auto* start = std::get_if<input::Start>(&input)) {
    if ((options_->guard && !options_->guard->is_closed()) || start->last_delivery != 0)
      return false; // the start is to be put off, or there is something to remember
    if (youth_ == Youth::unborn) {
      youth_ = Youth::starting;
      effects.emplace_back(effect::StartChild{1, false});
    }
    return true;
  }
  const auto* started = std::get_if<input::ChildStarted>(&input);
  if (started == nullptr || started->incarnation != 1 || youth_ != Youth::starting)
    return std::holds_alternative<input::Wake>(input)
           || std::holds_alternative<input::GuardClosed>(input);
  youth_ = Youth::alive;
  if (options_->on_event)
    Step::tell(*options_, event::ChildStarted{now, 1});
  return true;
}

void SenderEngine::step_stopped(const Input& input, Effects& effects) {
  if (std::holds_alternative<input::Submit>(input))
    effects.emplace_back(effect::Refuse{Refusal::stopped});
  else if (const auto* late = std::get_if<input::ChildStarted>(&input))
    effects.emplace_back(effect::StopChild{late->incarnation});
  else if (const auto* drain = std::get_if<input::Drain>(&input))
    effects.emplace_back(effect::Drained{drain->ticket, 0});
}

// Whether all that could be handed over are retries for which the guard has no budget.
bool SenderEngine::waits_for_budget() const {
  return work_->retries_are_held && work_->turns.next() != Outbox::none
         && work_->turns.next_fresh() == Outbox::none;
}

// When the guard is asked again, if it holds up what is handed over next.
std::optional<Instant> SenderEngine::held_until() const {
  if (&work_->serving_lane() != &work_->primary)
    return std::nullopt;
  if (work_->is_held_back)
    return work_->held_back_until;
  return waits_for_budget() ? std::optional{work_->retries_held_until} : std::nullopt;
}

Phase SenderEngine::phase() const {
  if (stopped_)
    return Phase::stopped;
  if (!work_)
    return youth_ == Youth::alive ? Phase::running : Phase::starting;
  if (work_->is_draining)
    return Phase::draining;
  const auto& lane = work_->serving_lane();
  if (lane.delay_runs || held_until() != std::nullopt)
    return Phase::waiting;
  return lane.child == Lane::Child::alive ? Phase::running : Phase::starting;
}

std::uint32_t SenderEngine::incarnation() const {
  return work_ ? work_->last_incarnation : youth_ == Youth::unborn ? 0 : 1;
}

std::uint32_t SenderEngine::living_child() const {
  if (stopped_)
    return 0;
  if (!work_)
    return youth_ == Youth::alive ? 1 : 0;
  const auto& lane = work_->serving_lane();
  return lane.child == Lane::Child::alive ? lane.incarnation : 0;
}

std::size_t SenderEngine::owed() const { return work_ ? work_->outbox.size() : 0; }

const BackOff& SenderEngine::backoff() const {
  return work_ ? work_->primary.backoff : options_->backoff;
}

Instant SenderEngine::due() const {
  if (!work_ || stopped_)
    return Instant::never();
  const auto& lane = work_->serving_lane();
  const auto held = held_until();
  if (!lane.delay_runs)
    return held.value_or(Instant::never());
  return std::max(lane.due, held.value_or(lane.due));
}

SenderStatus SenderEngine::status(Instant now) const {
  SenderStatus result;
  result.phase = phase();
  result.incarnation = incarnation();
  if (!work_)
    return result;
  const auto& work = *work_;
  const auto& outbox = work.outbox;
  result.is_paused = work.is_paused;
  result.is_on_fallback = work.fallback != nullptr;
  result.restarts = work.primary_starts == 0 ? 0 : work.primary_starts - 1;
  result.abandoned = static_cast<std::uint32_t>(work.abandoned.size());
  result.is_delayed = due() != Instant::never();
  if (result.is_delayed)
    result.due_in = std::max(Duration::zero(), due() - now);
  // What health will be found to have done with the next input is so already.
  const auto is_well = !stopped_ && work.mode == Work::Mode::forwarding
                       && work.primary.is_well(now, options_->healthy_after);
  const auto backoff = is_well ? work.primary.backoff.reset() : work.primary.backoff;
  result.retries = backoff.retries();
  result.total_retries = backoff.total_retries();
  result.resets = backoff.resets();
  result.last_delay = backoff.wait_time();
  result.counters = work.counters;
  if (stopped_)
    return result;
  result.is_held_back = work.is_held_back || waits_for_budget();
  result.owed = outbox.size();
  result.owed_bytes = work.owed_bytes;
  result.in_flight = work.in_flight_owed;
  result.ghosts = work.primary.in_flight.count
                  + (work.fallback ? work.fallback->in_flight.count : 0) - work.in_flight_owed;
  if (!outbox.empty())
    result.oldest_age = now - outbox[outbox.front()].submitted_at;
  return result;
}

} // namespace backoff_actor
