#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/internal/call_window.hpp"

#include <cstdint>

namespace backoff_actor {

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
