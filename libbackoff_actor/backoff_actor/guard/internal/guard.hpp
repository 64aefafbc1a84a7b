#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/guard_status.hpp"
#include "backoff_actor/guard/internal/circuit_breaker.hpp"
#include "backoff_actor/guard/internal/guard_port.hpp"
#include "backoff_actor/guard/internal/rate.hpp"
#include "backoff_actor/guard/internal/retry_budget.hpp"

#include <cstdint>
#include <optional>

namespace backoff_actor {

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
