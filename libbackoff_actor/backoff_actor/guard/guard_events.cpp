#include "backoff_actor/guard/guard_events.hpp"

namespace backoff_actor {

namespace {

struct DescribeGuardEvent {
  std::string operator()(const event::BreakerOpened& x) const {
    return (x.was_probed ? "the probe failed, circuit breaker open for "
                         : "circuit breaker open for ")
           + to_string(x.open_for);
  }

  std::string operator()(const event::BreakerHalfOpened&) const {
    return "circuit breaker half open, a probe goes";
  }

  std::string operator()(const event::BreakerClosed& x) const {
    return x.was_by_hand ? "circuit breaker closed by hand" : "circuit breaker closed";
  }

  std::string operator()(const event::BreakerIsolated&) const {
    return "circuit breaker isolated by hand";
  }

  std::string operator()(const event::BudgetExhausted&) const { return "retry budget exhausted"; }

  std::string operator()(const event::BudgetRecovered&) const { return "retry budget recovered"; }

  std::string operator()(const event::RateReached&) const { return "rate reached"; }

  std::string operator()(const event::RateFree& x) const {
    return "rate free again, after " + to_string(x.at - x.since);
  }
};

} // namespace

namespace event {

Instant time_of(const GuardEvent& event) {
  return std::visit([](const auto& x) { return x.at; }, event);
}

std::string to_string(const GuardEvent& event) { return std::visit(DescribeGuardEvent{}, event); }

} // namespace event

} // namespace backoff_actor
