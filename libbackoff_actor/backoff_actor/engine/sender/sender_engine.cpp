#include "backoff_actor/engine/sender/sender_engine.hpp"

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <utility>

namespace backoff_actor {

namespace {

// Keeps only what the driver may still ask about. The hook must go, because it may hold handles
// that lead back to the driver.
std::shared_ptr<const EngineOptions> without_hook(const EngineOptions& options) {
  EngineOptions result;
  result.backoff = options.backoff;
  return std::make_shared<const EngineOptions>(std::move(result));
}

} // namespace

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options, std::uint64_t stream)
  : options_(std::move(options)), stream_(stream) {}

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options)
  : options_(std::move(options)), stream_(options_->backoff.stream()) {}

SenderEngine::~SenderEngine() = default;
SenderEngine::SenderEngine(SenderEngine&&) noexcept = default;
SenderEngine& SenderEngine::operator=(SenderEngine&&) noexcept = default;

void SenderEngine::step(Instant now, const Input& input, Effects& effects) {
  if (stopped_) {
    step_stopped(input, effects);
    return;
  }
  if (!work_) {
    if (step_without_work(now, input, effects))
      return;
    work_ = new_work();
  }
  std::visit([&](const auto& x) { step_at_work(now, x, effects); }, input);
}

void SenderEngine::step(Instant now, const input::Submit& input, Effects& effects) {
  if (stopped_)
    return step_stopped(input, effects);
  if (!work_)
    work_ = new_work();
  step_at_work(now, input, effects);
}

void SenderEngine::step(Instant now, const input::Acknowledged& input, Effects& effects) {
  if (stopped_)
    return;
  if (!work_)
    work_ = new_work();
  step_at_work(now, input, effects);
}

void SenderEngine::step(Instant now, const input::ChildStarted& input, Effects& effects) {
  if (stopped_ || !work_)
    step(now, Input{input}, effects);
  else
    step_at_work(now, input, effects);
}

template <class OneInput>
void SenderEngine::step_at_work(Instant now, const OneInput& input, Effects& effects) {
  Step step{*this, now, effects};
  step(input);
  step.finish();
  if (stopped_) {
    work_->outbox = Outbox{};
    options_ = without_hook(*options_);
  } else if (work_->outbox.is_vacant() && !work_->outbox.is_worth_its_room()
             && work_->is_at_rest()) {
    if (!rest_)
      rest_ = std::make_unique<Rest>();
    work_->rest(*options_, *rest_);
    work_ = nullptr;
  }
}

// Handles the inputs that need no `Work`. Returns whether the input was one of them.
bool SenderEngine::step_without_work(Instant now, const Input& input, Effects& effects) {
  if (std::holds_alternative<input::Wake>(input)) {
    if (rest_)
      rest_->wake_at = Instant::never();
    return true;
  }
  if (std::holds_alternative<input::GuardClosed>(input))
    return true; // nothing is held back
  if (rest_)
    return false;
  if (const auto* start = std::get_if<input::Start>(&input))
    return start_young(*start, effects);
  const auto* started = std::get_if<input::ChildStarted>(&input);
  if (started == nullptr || started->incarnation != 1 || youth_ != Youth::starting)
    return false;
  youth_ = Youth::alive;
  if (options_->on_event)
    Step::tell(*options_, event::ChildStarted{now, 1});
  return true;
}

bool SenderEngine::start_young(const input::Start& x, Effects& effects) {
  if (x.last_delivery != 0)
    return false; // there is something to remember
  if (youth_ != Youth::unborn)
    return true;
  if (options_->child_start == FirstStart::on_first_use) {
    youth_ = Youth::begun;
    return true;
  }
  if (options_->guard && !options_->guard->is_closed())
    return false; // the start is to be put off
  youth_ = Youth::starting;
  effects.emplace_back(effect::StartChild{1, false});
  return true;
}

// Makes a `Work` that continues from the present state.
std::unique_ptr<SenderEngine::Work> SenderEngine::new_work() const {
  auto result = std::make_unique<Work>(*options_, stream_, rest_.get());
  if (!rest_ && youth_ >= Youth::starting)
    result->first_child_is(youth_ == Youth::alive);
  return result;
}

void SenderEngine::step_stopped(const Input& input, Effects& effects) {
  if (std::holds_alternative<input::Submit>(input) || std::holds_alternative<input::Join>(input))
    effects.emplace_back(effect::Refuse{Refusal::stopped});
  else if (const auto* late = std::get_if<input::ChildStarted>(&input))
    effects.emplace_back(effect::StopChild{late->incarnation});
  else if (const auto* drain = std::get_if<input::Drain>(&input))
    effects.emplace_back(effect::Drained{drain->ticket, 0});
}

Phase SenderEngine::phase() const {
  if (stopped_)
    return Phase::stopped;
  return work_ ? work_->phase() : new_work()->phase();
}

bool SenderEngine::is_ending() const {
  return work_ && !stopped_ && work_->mode == Work::Mode::ending;
}

std::uint32_t SenderEngine::incarnation() const {
  return work_ ? work_->last_incarnation : new_work()->last_incarnation;
}

std::uint32_t SenderEngine::living_child() const {
  if (stopped_)
    return 0;
  return work_ ? work_->living_child() : new_work()->living_child();
}

std::size_t SenderEngine::owed() const { return work_ ? work_->outbox.size() : 0; }

BackOff SenderEngine::backoff() const {
  const auto& initial = options_->backoff;
  return {initial.policy(), initial.seed(), stream_,
          (work_ ? *work_ : *new_work()).primary.backoff};
}

Instant SenderEngine::due() const { return work_ && !stopped_ ? work_->due() : Instant::never(); }

SenderStatus SenderEngine::status(Instant now) const {
  auto result =
    work_ ? work_->status(*options_, now, stopped_) : new_work()->status(*options_, now, stopped_);
  result.phase = phase();
  return result;
}

} // namespace backoff_actor
