#include "backoff_actor/guard/internal/retry_budget.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <cmath>

namespace backoff_actor {

namespace {

constexpr double largest_ratio = 1000;
constexpr double smallest_floor = 0.001;
constexpr double largest_floor = 1'000'000;
constexpr Duration shortest_window = std::chrono::milliseconds{10};
constexpr Duration longest_window = std::chrono::hours{24};
constexpr double nanoseconds_per_second = 1e9;

// Five deposits of 0.2 earn one retry, though their floating-point sum may be a little less.
constexpr double tolerance = 1e-9;

constexpr std::uint64_t stream_of_turns = 2;

double in_seconds(Duration span) {
  return static_cast<double>(span.count()) / nanoseconds_per_second;
}

// Rounds up, so that a caller that waits for this time does not come too early.
Duration from_seconds(double seconds) {
  return Duration{static_cast<Duration::rep>(std::ceil(seconds * nanoseconds_per_second))};
}

} // namespace

// The most that the floor saves up while nobody retries. That is one retry at the least: with less
// the floor would never let one through.
double detail::reserve(const RetryBudgetOptions& options) {
  return options.per_second > 0 ? std::max(1.0, options.per_second * in_seconds(options.window))
                                : 0.0;
}

Problems check(const RetryBudgetOptions& options) {
  Problems problems{"RetryBudgetOptions"};
  if (!(options.ratio >= 0 && options.ratio <= largest_ratio))
    problems.add("ratio", detail::percent(options.ratio), "0%..100000%");
  const auto floor = options.per_second;
  if (floor != 0 && !(floor >= smallest_floor && floor <= largest_floor))
    problems.add("per_second", detail::decimal(floor).append("/s"), "0/s, or 0.001/s..1000000/s");
  else if (options.ratio == 0 && floor == 0)
    problems.add("per_second", "0/s", "more than 0/s, unless the ratio is");
  if (options.window < shortest_window || options.window > longest_window)
    problems.add("window", to_string(options.window),
                 to_string(shortest_window).append("..").append(to_string(longest_window)));
  return problems;
}

std::string to_string(const RetryBudgetOptions& options) {
  return "retry_budget(" + detail::percent(options.ratio) + ", "
         + detail::decimal(options.per_second) + "/s, window " + to_string(options.window) + ")";
}

RetryBudget::RetryBudget(const RetryBudgetOptions& options, std::uint64_t seed)
  : options_(options), deposits_(std::max(options.window, shortest_window)),
    balance_(detail::reserve(options)), seed_(seed) {
  check(options).raise_if_any();
}

void RetryBudget::deposit(Instant now) {
  refill(now);
  deposits_.add(false, now);
  balance_ = std::min(balance_ + options_.ratio, largest_balance(now));
}

bool RetryBudget::can_withdraw(Instant now, double cost) {
  refill(now);
  return balance_ >= cost - tolerance;
}

bool RetryBudget::withdraw(Instant now, double cost) {
  if (!can_withdraw(now, cost))
    return false;
  balance_ = std::max(0.0, balance_ - cost);
  return true;
}

Instant RetryBudget::next_turn(Instant now, double cost) {
  refill(now);
  const auto furthest = now + options_.window;
  if (options_.per_second > 0) {
    const auto missing = std::max(0.0, cost - balance_);
    const auto due = std::max(next_turn_, now + from_seconds(missing / options_.per_second));
    if (due < furthest) {
      next_turn_ = due + from_seconds(cost / options_.per_second);
      return due;
    }
  }
  // More callers wait than the floor can serve within the window: spread them over its second half.
  const auto u = unit_random(seed_, stream_of_turns, turns_++);
  return now + from_seconds(in_seconds(options_.window) * (1 + u) / 2);
}

double RetryBudget::balance(Instant now) const {
  auto later = *this;
  later.refill(now);
  return later.balance_;
}

void RetryBudget::refill(Instant now) {
  if (is_begun_)
    balance_ += options_.per_second * in_seconds(now - updated_);
  is_begun_ = true;
  updated_ = now;
  balance_ = std::min(balance_, largest_balance(now));
}

// What the floor earns in the window, and what was deposited in it.
double RetryBudget::largest_balance(Instant now) const {
  return detail::reserve(options_)
         + options_.ratio * static_cast<double>(deposits_.counts(now).calls);
}

} // namespace backoff_actor
