#pragma once

// Design notes
//
// Decides from the outcomes of the last calls whether the service may be called at all.
//
//                 trip (too many failures)
//     closed -------------------------------> open <-------------+
//        ^                                      |                |
//        |                                      | its time is over, a call comes
//        |   as many successes as probes        v                |
//        +---------------------------------- half open -- failure +
//
//     any state -- isolate --> isolated -- close --> closed
//
// Each state has a generation. A permit carries the generation in which it was given. The outcome
// of a call from an earlier generation changes nothing: it says how the service was then.
//
// When the breaker holds a caller back, it tells the caller when to come again. While the breaker
// is open, the first few callers are to come when its time is over, as the probes. The breaker
// spreads the other callers over a while after that. It also spreads the callers that come while
// the probes are in flight. So it need not notify anybody when it closes, and a thousand callers
// come back over `spread` and not at once.

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/guard_status.hpp"
#include "backoff_actor/guard/internal/call_window.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace backoff_actor {

/// A circuit breaker as a value: the same calls in the same order give the same answers, always.
///
/// @range  `now` must not go back.
/// @errors none but `std::bad_alloc`
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT CircuitBreaker {
public:
  /// Makes a closed breaker. Its draws come from `unit_random(seed, ...)`.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit CircuitBreaker(const CircuitBreakerOptions& options, std::uint64_t seed = 0);

  /// Asks whether a call may be made now.
  Admission admit(Instant now);

  /// Whether `admit` would hold a call back now. Takes no probe.
  bool holds_back(Instant now) const;

  /// Reports that a call succeeded. This may open or close the breaker.
  void succeeded(Permit permit, Instant now);

  /// Reports that a call failed. This may open the breaker.
  void failed(Permit permit, Instant now);

  /// Reports that the outcome of a call stays unknown.
  void forgotten(Permit permit);

  /// Lets nothing through until `close`.
  void isolate();

  /// Lets everything through again, and begins to count anew.
  void close();

  /// The state after the last call of a member. A breaker whose time is over stays open until the
  /// next `admit`.
  BreakerState state() const { return state_; }

  /// When its open time ends; `Instant::never()` if it is not open, or is isolated.
  Instant open_until() const;

  /// How long the present open time lasts, or the last one did.
  Duration open_for() const { return open_for_; }

  /// Failures since the last success, while it is closed.
  std::uint32_t consecutive_failures() const { return consecutive_failures_; }

  /// The calls that it judges by; zero if it judges by consecutive failures.
  CallCounts counts(Instant now) const;

  /// The options.
  const CircuitBreakerOptions& options() const { return options_; }

private:
  struct Probe {
    std::uint32_t number;
    Instant began;
  };

  // The calls that the trip judges by; none for `ConsecutiveFailures`.
  using Window = std::variant<std::monostate, LastCalls, RecentCalls>;

  static Window window_of(const Trip& trip);

  void go_to(BreakerState state);
  void open(Instant now);
  void count(bool has_failed, Instant now);
  bool is_tripped(Instant now) const;
  bool end_probe(std::uint32_t number);
  bool is_silent(const Probe& probe, Instant now) const;
  Admission admit_probe(Instant now);
  Duration stagger();

  CircuitBreakerOptions options_;
  Window window_;
  Progress openings_;
  std::vector<Probe> probes_{}; // probes in flight
  Instant open_until_ = Instant::never();
  Duration open_for_{0};
  std::uint64_t seed_;
  std::uint64_t staggered_ = 0; // draws so far
  std::uint32_t generation_ = 1;
  std::uint32_t last_probe_ = 0;
  std::uint32_t successes_ = 0; // successes of probes in this state
  std::uint32_t awaited_ = 0;   // callers that were told to come as probes
  std::uint32_t consecutive_failures_ = 0;
  BreakerState state_ = BreakerState::closed;
};

} // namespace backoff_actor
