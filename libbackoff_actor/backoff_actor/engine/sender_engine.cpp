#include "backoff_actor/engine/sender_engine.hpp"

#include "backoff_actor/engine/sender_step.hpp"

#include <utility>

namespace backoff_actor {

SenderEngine::SenderEngine(std::shared_ptr<const EngineOptions> options)
  : options_(std::move(options)) {}

SenderEngine::~SenderEngine() = default;
SenderEngine::SenderEngine(SenderEngine&&) noexcept = default;
SenderEngine& SenderEngine::operator=(SenderEngine&&) noexcept = default;

void SenderEngine::step(Instant now, const Input& input, Effects& effects) {
  if (!stopped_) {
    std::visit(Step{*this, now, effects}, input);
  } else if (std::holds_alternative<input::Submit>(input)) {
    effects.emplace_back(effect::Refuse{Refusal::stopped});
  } else if (const auto* late = std::get_if<input::ChildStarted>(&input)) {
    effects.emplace_back(effect::StopChild{late->incarnation});
  }
}

Phase SenderEngine::phase() const {
  if (stopped_)
    return Phase::stopped;
  if (delay_runs_)
    return Phase::waiting;
  return child_ == Child::alive ? Phase::running : Phase::starting;
}

std::size_t SenderEngine::owed() const { return work_ ? work_->outbox.size() : 0; }

const ExponentialBackOff& SenderEngine::backoff() const {
  return work_ ? work_->backoff : options_->backoff;
}

std::string_view to_string(Phase phase) {
  switch (phase) {
  case Phase::starting:
    return "starting";
  case Phase::running:
    return "running";
  case Phase::waiting:
    return "waiting";
  case Phase::stopped:
    return "stopped";
  }
  return "unknown";
}

} // namespace backoff_actor
