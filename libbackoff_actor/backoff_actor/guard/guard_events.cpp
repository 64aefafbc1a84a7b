#include "backoff_actor/guard/guard_events.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"

namespace backoff_actor {

namespace {

using detail::EventRecord;

struct DescribeGuardEvent {
  using enum Severity;
  EventRecord& it;

  void operator()(const event::BreakerOpened& x) const {
    it.is(x.was_probed ? warning : error, "breaker_opened",
          x.was_probed ? "the probe failed, " : "", "circuit breaker open for ", x.open_for);
    it.has("open_for_s", x.open_for, "was_probed", x.was_probed);
  }
  void operator()(const event::BreakerHalfOpened&) const {
    it.is(info, "breaker_half_opened", "circuit breaker half open, a probe goes");
  }
  void operator()(const event::BreakerClosed& x) const {
    it.is(info, "breaker_closed", "circuit breaker closed", x.was_by_hand ? " by hand" : "");
    it.has("was_by_hand", x.was_by_hand);
  }
  void operator()(const event::BreakerIsolated&) const {
    it.is(warning, "breaker_isolated", "circuit breaker isolated by hand");
  }
  void operator()(const event::BudgetExhausted&) const {
    it.is(warning, "budget_exhausted", "retry budget exhausted");
  }
  void operator()(const event::BudgetRecovered&) const {
    it.is(info, "budget_recovered", "retry budget recovered");
  }
  void operator()(const event::RateReached&) const { it.is(info, "rate_reached", "rate reached"); }
  void operator()(const event::RateFree& x) const {
    it.is(info, "rate_free", "rate free again, after ", x.at - x.since);
    it.has("reached_for_s", x.at - x.since);
  }
};

} // namespace

void detail::describe(const GuardEvent& event, EventRecord& record) {
  std::visit(DescribeGuardEvent{record}, event);
}

namespace event {

Instant time_of(const GuardEvent& event) {
  return std::visit([](const auto& x) { return x.at; }, event);
}

std::string to_string(const GuardEvent& event) {
  return EventRecord{EventRecord::Part::text, event}.text();
}

Severity severity_of(const GuardEvent& event) {
  return EventRecord{EventRecord::Part::severity, event}.severity();
}

} // namespace event

} // namespace backoff_actor
