#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/circuit_breaker.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/guard/guard_port.hpp"
#include "backoff_actor/guard/rate.hpp"
#include "backoff_actor/guard/retry_budget.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace backoff_actor {

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

/// What a guard has counted since it was made.
struct GuardCounters {
  std::uint64_t admitted = 0;             ///< calls let through
  std::uint64_t held_back_by_breaker = 0; ///< calls that the breaker held back
  std::uint64_t held_back_by_budget = 0;  ///< retries that the budget held back
  std::uint64_t held_back_by_rate = 0;    ///< calls that the rate held back
  std::uint64_t succeeded = 0;            ///< calls that succeeded
  std::uint64_t failed = 0;               ///< calls that failed
  std::uint64_t opened = 0;               ///< how often the breaker opened

  /// Whether all counts are the same.
  friend bool operator==(const GuardCounters&, const GuardCounters&) = default;
};

/// The status of a guard at one moment.
struct GuardStatus {
  bool has_breaker = false;                    ///< there is a circuit breaker
  BreakerState breaker = BreakerState::closed; ///< what it does with calls
  Duration open_for{0};                        ///< the rest of its open time
  std::uint32_t consecutive_failures = 0;      ///< since the last success, if it is closed
  CallCounts window{};                         ///< the calls that the breaker judges by
  bool has_budget = false;                     ///< there is a retry budget
  double retries_left = 0;                     ///< the retries that the budget holds
  bool has_rate = false;                       ///< there is a rate
  std::uint32_t calls_left = 0;                ///< the calls that the rate allows at once
  bool is_limited = false;                     ///< the rate holds calls back, or did just now
  Duration limited_for{0};                     ///< since `event::RateReached`, if it is limited
  GuardCounters counters{};                    ///< its counters
};

/// Renders a status in one line:
///
/// `circuit breaker open for 3.2s, opened 2 times; 312 calls admitted, 40 held back`.
BACKOFF_ACTOR_EXPORT std::string to_string(const GuardStatus& status);

/// A guard as a value: the same calls in the same order give the same answers, always.
/// `SharedGuard` shares one among threads.
///
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT Guard final : public GuardPort {
public:
  /// Makes a guard that lets everything through at first. Its draws come from
  /// `unit_random(seed, ...)`.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit Guard(const GuardOptions& options, std::uint64_t seed = 0, GuardHook on_event = {});

  Admission admit(Instant now, Call call) override { return admit(now, call, 1); }
  Admission admit_retry(Instant now, double cost) override { return admit(now, Call::retry, cost); }
  void succeeded(Permit permit, Instant now) override;
  void failed(Permit permit, Instant now) override;
  void forgotten(Permit permit, Instant now) override;
  bool is_closed() const override;
  std::uint64_t answers() const override { return counters_.succeeded; }

  /// Lets nothing through until `close`.
  ///
  /// @errors throws `InvalidArgument` if the guard has no circuit breaker.
  void isolate(Instant now);

  /// Closes the circuit breaker, whatever its state.
  ///
  /// @errors throws `InvalidArgument` if the guard has no circuit breaker.
  void close(Instant now);

  /// The status at `now`.
  GuardStatus status(Instant now) const;

  /// The options.
  const GuardOptions& options() const { return options_; }

private:
  Admission admit(Instant now, Call call, double cost);
  HeldBack hold_back_by_budget(Instant now, double cost);
  HeldBack hold_back_by_rate(Instant now);
  bool is_beyond_rate(Call call, Instant now) const;
  bool was_limited_recently(Instant now) const;
  void spend(Call call, Instant now, double cost);
  void use_rate(Instant now);
  Instant later(Instant now);
  CircuitBreaker& breaker_for(const char* what);
  void tell(const GuardEvent& event) const;
  void tell_change(BreakerState before, Instant now, bool is_by_hand = false);

  GuardOptions options_;
  std::optional<CircuitBreaker> breaker_{};
  std::optional<RetryBudget> budget_{};
  std::optional<Rate> rate_{};
  GuardHook on_event_;
  GuardCounters counters_{};
  Instant now_{};
  Instant limited_since_ = Instant::never(); // never: the rate is not reached
  Instant last_turn_{};                      // the latest turn that the rate gave since then
  bool is_begun_ = false;                    // `now_` was set
  bool is_exhausted_ = false;
};

} // namespace backoff_actor
