#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/call_window.hpp"
#include "backoff_actor/guard/guard_port.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace backoff_actor {

/// The parameters of a retry budget.
struct RetryBudgetOptions {
  /// How many retries each first attempt earns.
  ///
  /// @range 0 to 1000
  double ratio = 0.2;

  /// How many more retries are allowed each second, so that low traffic can be retried too.
  ///
  /// @range 0, or 0.001 to 1,000,000; not 0 if `ratio` is 0
  double per_second = 10;

  /// Retries that were earned and not used are lost after this time, see `RecentCalls`. After a
  /// rest, the budget holds what `per_second` earns in this time, and one retry at the least.
  ///
  /// @range 10ms to 24h
  Duration window = std::chrono::seconds{10};

  /// Whether two are the same.
  friend bool operator==(const RetryBudgetOptions&, const RetryBudgetOptions&) = default;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const RetryBudgetOptions& options);

/// Renders the options in the form that `parse_guard` takes, with everything in it:
/// `retry_budget(20%, 10/s, window 10s)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryBudgetOptions& options);

namespace detail {

/// Returns what a budget holds after a rest: a retry that costs more may never be let through.
BACKOFF_ACTOR_EXPORT double reserve(const RetryBudgetOptions& options);

} // namespace detail

/// A retry budget as a value: a share of recent traffic plus a floor per second. The same calls in
/// the same order give the same answers, always.
///
/// The floor refills evenly. In Finagle's budget, retries that are spent at once come back at once,
/// a window later.
///
/// @range  `now` must not go back.
/// @errors none but `std::bad_alloc`
/// @source Finagle's RetryBudget: 20 %, 10 per second, 10 s; a balance of 100 at the beginning
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT RetryBudget {
public:
  /// Makes a full budget. Its draws come from `unit_random(seed, ...)`.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit RetryBudget(const RetryBudgetOptions& options, std::uint64_t seed = 0);

  /// Records a first attempt, which earns its part of a retry.
  void deposit(Instant now);

  /// Whether the budget holds a retry.
  bool can_withdraw(Instant now, double cost = 1);

  /// Takes `cost` retries from the budget; nothing is taken if there are fewer.
  ///
  /// @shape  `withdraw(now, cost) -> bool`
  /// @range  `cost`: 0 and above
  bool withdraw(Instant now, double cost = 1);

  /// Returns when a caller that got no retry should come again. Callers get successive instants, at
  /// the pace at which the floor refills. Those that would come later than one window from now get
  /// a random instant in the second half of that window instead.
  Instant next_turn(Instant now, double cost = 1);

  /// How many retries the budget holds at `now`, with fractions.
  double balance(Instant now) const;

  /// The options.
  const RetryBudgetOptions& options() const { return options_; }

private:
  void refill(Instant now);
  double largest_balance(Instant now) const;

  RetryBudgetOptions options_;
  RecentCalls deposits_;
  double balance_; // the balance at `updated_`
  Instant updated_{};
  Instant next_turn_{Duration::min()};
  std::uint64_t seed_;
  std::uint64_t turns_ = 0; // draws so far
  bool is_begun_ = false;   // `updated_` was set
};

} // namespace backoff_actor
