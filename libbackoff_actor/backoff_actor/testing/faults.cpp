#include "backoff_actor/testing/faults.hpp"

#include <mutex>

namespace backoff_actor::testing {

struct Faults::State {
  std::mutex mutex;
  FaultPlan plan;
  std::uint64_t at = 0;    // in the plan
  std::uint64_t taken = 0; // of all plans
  std::function<void(const Fault&, std::uint64_t)> observer;
};

Faults::Faults() : state_(std::make_shared<State>()) {}

Fault Faults::next() const {
  const std::lock_guard lock{state_->mutex};
  auto fault = state_->plan[state_->at++];
  ++state_->taken;
  if (state_->observer)
    state_->observer(fault, state_->taken);
  return fault;
}

std::uint64_t Faults::taken() const {
  const std::lock_guard lock{state_->mutex};
  return state_->taken;
}

void Faults::follow(FaultPlan plan) const {
  const std::lock_guard lock{state_->mutex};
  state_->plan = std::move(plan);
  state_->at = 0;
}

void Faults::observe(std::function<void(const Fault&, std::uint64_t)> observer) const {
  const std::lock_guard lock{state_->mutex};
  state_->observer = std::move(observer);
}

} // namespace backoff_actor::testing
