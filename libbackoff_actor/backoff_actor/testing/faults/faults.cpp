#include "backoff_actor/testing/faults/faults.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace backoff_actor::testing {

struct Faults::State {
  std::mutex mutex;
  FaultPlan plan;
  std::uint64_t at = 0;    // the position in the plan
  std::uint64_t taken = 0; // faults taken from all plans
  std::optional<EventLog> log;
};

Faults::Faults() : state_(std::make_shared<State>()) {}

Fault Faults::next(Instant at, const std::string& whose) const {
  const std::lock_guard lock{state_->mutex};
  auto fault = state_->plan[state_->at++];
  ++state_->taken;
  if (state_->log && fault.kind != Fault::Kind::ok && at != Instant{}) {
    auto text = std::string{"fault: "}.append(to_string(fault));
    if (!whose.empty())
      text.append(", ").append(whose);
    state_->log->note(at, std::move(text));
  }
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

void Faults::note_in(const EventLog& log) const {
  const std::lock_guard lock{state_->mutex};
  state_->log = log;
}

} // namespace backoff_actor::testing
