#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace backoff_actor {

/// Opens a breaker after a number of failures without a success in between.
struct ConsecutiveFailures {
  /// The number of failures.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t failures = 5;

  /// Whether two are the same.
  friend bool operator==(const ConsecutiveFailures&, const ConsecutiveFailures&) = default;
};

/// Opens a breaker when too large a share of the last calls failed.
struct FailureRatioOfCalls {
  /// The share of failures that opens it.
  ///
  /// @range above 0, to 1
  double ratio = 0.5;

  /// How many of the last calls count.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t calls = 100;

  /// How many calls must have ended before the share counts.
  ///
  /// @range 1 to `calls`
  std::uint32_t minimum_calls = 10;

  /// Whether two are the same.
  friend bool operator==(const FailureRatioOfCalls&, const FailureRatioOfCalls&) = default;
};

/// Opens a breaker when too large a share of recent calls failed.
struct FailureRatioOfTime {
  /// The share of failures that opens it.
  ///
  /// @range above 0, to 1
  double ratio = 0.5;

  /// How recently a call must have ended to count. The window moves in tenths of this time, so that
  /// the last nine to ten tenths count.
  ///
  /// @range 10ms to 24h
  Duration within = std::chrono::seconds{30};

  /// How many calls must have ended before the share counts.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t minimum_calls = 10;

  /// Whether two are the same.
  friend bool operator==(const FailureRatioOfTime&, const FailureRatioOfTime&) = default;
};

/// What opens a breaker.
using Trip = std::variant<ConsecutiveFailures, FailureRatioOfCalls, FailureRatioOfTime>;

/// The parameters of a circuit breaker.
struct CircuitBreakerOptions {
  /// What opens it.
  Trip trip = ConsecutiveFailures{};

  /// How long it stays open: the first delay after the trip, the next delay after a failed probe,
  /// and so on. Closing begins the series anew.
  Policy open = Fixed{std::chrono::seconds{5}};

  /// How many calls go through as probes when its open time is over. If all succeed, it closes. If
  /// one fails, it opens again.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t probes = 1;

  /// The time over which the callers that were held back come again.
  ///
  /// @range 0 to 24h
  Duration spread = std::chrono::seconds{5};

  /// How long a probe without a reported outcome blocks another probe.
  ///
  /// @range above 0, to 24h
  Duration probe_timeout = std::chrono::minutes{1};

  /// Whether two are the same.
  friend bool operator==(const CircuitBreakerOptions&, const CircuitBreakerOptions&) = default;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const CircuitBreakerOptions& options);

/// Renders the options in the form that `parse_guard` takes, with everything in it:
/// `circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const CircuitBreakerOptions& options);

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

  /// Retries that were earned and not used are lost after nine to ten tenths of this time. After a
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

/// The parameters of a rate.
struct RateOptions {
  /// How many calls are allowed in each period.
  ///
  /// @range 1 to 1,000,000, and at most one in each microsecond of the period
  std::uint32_t calls = 50;

  /// The period.
  ///
  /// @range 1ms to 24h
  Duration per = std::chrono::seconds{1};

  /// How many calls may be made at once after a rest. With 1, calls are never closer than the
  /// period divided by the calls. Then each call that comes late makes all later ones late. So for
  /// the full rate, the calls that fit into the lateness of timers must be allowed in addition:
  /// about the rate times 2 ms.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t burst = 1;

  /// Whether two are the same.
  friend bool operator==(const RateOptions&, const RateOptions&) = default;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const RateOptions& options);

/// Renders the options in the form that `parse_guard` takes, with everything in it:
/// `rate(50/s, burst 5)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const RateOptions& options);

/// What guards a service: a circuit breaker, a retry budget, a rate, or several of them. Without
/// any, every call is let through, and counted.
struct GuardOptions {
  /// Whether the service is called at all.
  std::optional<CircuitBreakerOptions> circuit_breaker{};

  /// How many of the calls may be retries.
  std::optional<RetryBudgetOptions> retry_budget{};

  /// How many calls there may be in any time, retries included.
  std::optional<RateOptions> rate{};

  /// Whether all are unset.
  bool empty() const { return !circuit_breaker && !retry_budget && !rate; }

  /// Whether two are the same.
  friend bool operator==(const GuardOptions&, const GuardOptions&) = default;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const GuardOptions& options);

/// Renders the options in the form that `parse_guard` takes, with everything in it; `none` if there
/// is nothing.
BACKOFF_ACTOR_EXPORT std::string to_string(const GuardOptions& options);

} // namespace backoff_actor
