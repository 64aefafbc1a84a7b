#include "backoff_actor/backoff/back_off.hpp"

#include "backoff_actor/core/unit_random.hpp"

namespace backoff_actor {

namespace {

void require_unit(double u) {
  if (u >= 0.0 && u < 1.0)
    return;
  Problems problems; // also for NaN
  problems.add("u", std::to_string(u), "0 <= u < 1");
  problems.raise_if_any();
}

} // namespace

BackOffState next(const Policy& policy, const BackOffState& state, double u) {
  const auto step = policy.next(state.progress, u);
  if (step.progress.retries == 0) // a free retry; after it the series begins anew
    return reset(policy, state);
  return {step.progress, step.delay, state.resets};
}

BackOffState reset(const Policy& policy, const BackOffState& state) {
  return {policy.restart(state.progress), Duration::zero(), state.resets + 1};
}

BackOff BackOff::next() const { return next(unit_random(seed_, stream_, state_.progress.draws)); }

BackOff BackOff::next(double u) const {
  require_unit(u);
  return {policy_, seed_, stream_, backoff_actor::next(policy_, state_, u)};
}

BackOff BackOff::reset() const {
  return {policy_, seed_, stream_, backoff_actor::reset(policy_, state_)};
}

BackOff BackOff::with_stream(std::uint64_t stream) const {
  auto result = *this;
  result.stream_ = stream;
  return result;
}

std::string to_string(const BackOff& backoff) {
  std::string result;
  if (const auto* slots = std::get_if<RandomSlots>(&backoff.policy().formula()))
    result = "slot " + std::to_string(detail::slot_after(*slots, backoff.retries())) + "/"
             + std::to_string(slots->ceiling) + ", ";
  result += "wait " + to_string(backoff.wait_time()) + ", retries "
            + std::to_string(backoff.retries()) + ", resets " + std::to_string(backoff.resets())
            + ", total_retries " + std::to_string(backoff.total_retries());
  if (backoff.is_started())
    result += ", draw (seed " + std::to_string(backoff.seed()) + ", stream "
              + std::to_string(backoff.stream()) + ", n "
              + std::to_string(backoff.total_retries() - 1) + ")";
  return result;
}

} // namespace backoff_actor
