#include "backoff_actor/guard/internal/guard.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace backoff_actor {

GuardPort::~GuardPort() = default;

Admission GuardPort::admit_retry(Instant now, double) { return admit(now, Call::retry); }

namespace {

constexpr auto held_back_reasons = detail::enum_names<HeldBackBy>(
  {"open_breaker", "probe", "isolated_breaker", "retry_budget", "rate"});

// How long the rate must have held nothing back to count as free again, if it fills up sooner.
constexpr Duration shortest_quiet_time = std::chrono::seconds{1};

} // namespace

std::string_view to_string(HeldBackBy reason) { return held_back_reasons.of(reason); }

std::optional<HeldBackBy> detail::held_back_reason(std::string_view name) {
  return held_back_reasons.find(name);
}

std::optional<Duration> come_back_in(const HeldBack& held_back, Instant now) {
  if (held_back.until == Instant::never())
    return std::nullopt;
  return std::max(Duration::zero(), held_back.until - now);
}

Problems check(const GuardOptions& options) {
  Problems problems{"GuardOptions"};
  if (options.circuit_breaker)
    problems.add_nested("circuit_breaker", check(*options.circuit_breaker));
  if (options.retry_budget)
    problems.add_nested("retry_budget", check(*options.retry_budget));
  if (options.rate)
    problems.add_nested("rate", check(*options.rate));
  return problems;
}

std::string to_string(const GuardOptions& options) {
  std::string result;
  const auto add = [&](const auto& part) {
    if (part)
      result.append(result.empty() ? "" : " + ").append(to_string(*part));
  };
  add(options.circuit_breaker);
  add(options.retry_budget);
  add(options.rate);
  return result.empty() ? "none" : result;
}

std::string to_string(const GuardStatus& status) {
  std::string result;
  if (status.has_breaker) {
    result = "circuit breaker " + std::string{to_string(status.breaker)};
    if (status.breaker == BreakerState::open)
      result += " for " + to_string(status.open_for);
    result += ", opened " + std::to_string(status.counters.opened)
              + (status.counters.opened == 1 ? " time; " : " times; ");
  }
  if (status.has_budget)
    result += "retry budget " + detail::decimal(std::floor(status.retries_left * 10) / 10) + "; ";
  if (status.has_rate) {
    result += "rate " + std::to_string(status.calls_left) + " left";
    if (status.is_limited)
      result += ", reached for " + to_string(status.limited_for);
    result += "; ";
  }
  const auto held_back = status.counters.held_back_by_breaker + status.counters.held_back_by_budget
                         + status.counters.held_back_by_rate;
  return result + std::to_string(status.counters.admitted) + " calls admitted, "
         + std::to_string(held_back) + " held back";
}

Guard::Guard(const GuardOptions& options, std::uint64_t seed, GuardHook on_event)
  : options_(options), on_event_(std::move(on_event)) {
  check(options).raise_if_any();
  if (options.circuit_breaker)
    breaker_.emplace(*options.circuit_breaker, seed);
  if (options.retry_budget)
    budget_.emplace(*options.retry_budget, seed);
  if (options.rate)
    rate_.emplace(*options.rate);
}

// -- calls --------------------------------------------------------------------------------

Admission Guard::admit(Instant now, Call call, double cost) {
  now = later(now);
  if (budget_ && call == Call::retry && !budget_->can_withdraw(now, cost))
    return hold_back_by_budget(now, cost);
  if (is_beyond_rate(call, now))
    return hold_back_by_rate(now);
  if (breaker_) {
    const auto before = breaker_->state();
    const auto answer = breaker_->admit(now);
    tell_change(before, now);
    if (std::holds_alternative<HeldBack>(answer)) {
      ++counters_.held_back_by_breaker;
      return answer;
    }
    spend(call, now, cost);
    return answer;
  }
  spend(call, now, cost);
  return Permit{1, 0};
}

HeldBack Guard::hold_back_by_budget(Instant now, double cost) {
  ++counters_.held_back_by_budget;
  const HeldBack answer{HeldBackBy::retry_budget, budget_->next_turn(now, cost)};
  if (!std::exchange(is_exhausted_, true))
    tell(event::BudgetExhausted{now});
  return answer;
}

HeldBack Guard::hold_back_by_rate(Instant now) {
  ++counters_.held_back_by_rate;
  const HeldBack answer{HeldBackBy::rate, rate_->next_turn(now)};
  const auto is_first = limited_since_ == Instant::never();
  last_turn_ = is_first ? answer.until : std::max(last_turn_, answer.until);
  if (is_first) {
    limited_since_ = now;
    tell(event::RateReached{now});
  }
  return answer;
}

// A turn would be wasted on a call that the breaker holds back anyway. And the breaker is not asked
// for a probe that the rate would hold back.
bool Guard::is_beyond_rate(Call call, Instant now) const {
  return rate_ && call != Call::start && !rate_->can_go(now)
         && !(breaker_ && breaker_->holds_back(now));
}

// Whether a caller was given a turn, and the time since then is too short for a pause.
bool Guard::was_limited_recently(Instant now) const {
  return limited_since_ != Instant::never()
         && now < last_turn_ + std::max(shortest_quiet_time, rate_->time_to_fill());
}

void Guard::use_rate(Instant now) {
  rate_->go(now);
  if (limited_since_ == Instant::never() || was_limited_recently(now))
    return;
  const auto since = std::exchange(limited_since_, Instant::never());
  tell(event::RateFree{now, since});
}

// Counts an admitted call, and charges or credits rate and budget for it.
void Guard::spend(Call call, Instant now, double cost) {
  ++counters_.admitted;
  if (rate_ && call != Call::start)
    use_rate(now);
  if (!budget_)
    return;
  if (call == Call::first)
    return budget_->deposit(now);
  if (call == Call::start || cost == 0)
    return;
  budget_->withdraw(now, cost);
  if (std::exchange(is_exhausted_, false))
    tell(event::BudgetRecovered{now});
}

void Guard::succeeded(Permit permit, Instant now) {
  ++counters_.succeeded;
  if (!breaker_)
    return;
  now = later(now);
  const auto before = breaker_->state();
  breaker_->succeeded(permit, now);
  tell_change(before, now);
}

void Guard::failed(Permit permit, Instant now) {
  ++counters_.failed;
  if (!breaker_)
    return;
  now = later(now);
  const auto before = breaker_->state();
  breaker_->failed(permit, now);
  tell_change(before, now);
}

void Guard::forgotten(Permit permit, Instant) {
  if (breaker_)
    breaker_->forgotten(permit);
}

bool Guard::is_closed() const { return !breaker_ || breaker_->state() == BreakerState::closed; }

// -- by hand --------------------------------------------------------------------------------

void Guard::isolate(Instant now) {
  auto& breaker = breaker_for("to be isolated");
  const auto before = breaker.state();
  if (before == BreakerState::isolated)
    return;
  breaker.isolate();
  tell_change(before, now, true);
}

void Guard::close(Instant now) {
  auto& breaker = breaker_for("to be closed");
  const auto before = breaker.state();
  breaker.close();
  tell_change(before, now, true);
}

CircuitBreaker& Guard::breaker_for(const char* what) {
  if (!breaker_) {
    Problems problems;
    problems.add("circuit_breaker", "none", std::string{"one "} + what);
    problems.raise_if_any();
  }
  return *breaker_;
}

// -- status and events ------------------------------------------------------------------------

GuardStatus Guard::status(Instant now) const {
  now = is_begun_ ? std::max(now, now_) : now;
  GuardStatus result;
  result.counters = counters_;
  if (breaker_) {
    result.has_breaker = true;
    result.breaker = breaker_->state();
    if (result.breaker == BreakerState::open)
      result.open_for = std::max(Duration::zero(), breaker_->open_until() - now);
    result.consecutive_failures = breaker_->consecutive_failures();
    result.window = breaker_->counts(now);
  }
  if (budget_) {
    result.has_budget = true;
    result.retries_left = budget_->balance(now);
  }
  if (rate_) {
    result.has_rate = true;
    result.calls_left = rate_->calls_left(now);
    result.is_limited = was_limited_recently(now);
    if (result.is_limited)
      result.limited_for = now - limited_since_;
  }
  return result;
}

void Guard::tell(const GuardEvent& event) const {
  if (!on_event_)
    return;
  try {
    on_event_(event);
  } catch (...) {
    // An exception of the hook must not prevent a call.
  }
}

// No member of the breaker changes its state more than once.
void Guard::tell_change(BreakerState before, Instant now, bool is_by_hand) {
  const auto after = breaker_->state();
  if (before == after)
    return;
  switch (after) {
  case BreakerState::closed:
    return tell(event::BreakerClosed{now, is_by_hand});
  case BreakerState::open:
    ++counters_.opened;
    return tell(event::BreakerOpened{now, breaker_->open_for(), before == BreakerState::half_open});
  case BreakerState::half_open:
    return tell(event::BreakerHalfOpened{now});
  case BreakerState::isolated:
    return tell(event::BreakerIsolated{now});
  }
}

Instant Guard::later(Instant now) {
  now_ = std::exchange(is_begun_, true) ? std::max(now, now_) : now;
  return now_;
}

} // namespace backoff_actor
