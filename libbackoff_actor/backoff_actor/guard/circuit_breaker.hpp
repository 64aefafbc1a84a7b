#pragma once

// Design notes
//
// Whether the service is to be called at all, told from how the last calls ended.
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
// Each state has a generation, and a permit the generation it was given in. The outcome of a call
// that began in an earlier one changes nothing: it says how the service was then.
//
// Who is held back is told when to come again. While the breaker is open, the first few come when
// its time is over, as the probes, and the others are spread over a while after it; who comes while
// the probes are out is spread in the same way. So nobody has to be called when the breaker closes,
// and a thousand callers come back over `spread` and not at once.

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/guard/call_window.hpp"
#include "backoff_actor/guard/guard_port.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace backoff_actor {

/// Opens a breaker after so many failures without a success in between.
struct ConsecutiveFailures {
  /// How many.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t failures = 5;

  /// Whether two are the same.
  friend bool operator==(const ConsecutiveFailures&, const ConsecutiveFailures&) = default;
};

/// Opens a breaker when too large a part of the last calls failed.
struct FailureRatioOfCalls {
  /// The part that is too large.
  ///
  /// @range above 0, to 1
  double ratio = 0.5;

  /// The calls that are looked at, the last ones.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t calls = 100;

  /// How many must have ended before the part says anything.
  ///
  /// @range 1 to `calls`
  std::uint32_t minimum_calls = 10;

  /// Whether two are the same.
  friend bool operator==(const FailureRatioOfCalls&, const FailureRatioOfCalls&) = default;
};

/// Opens a breaker when too large a part of the calls of late failed.
struct FailureRatioOfTime {
  /// The part that is too large.
  ///
  /// @range above 0, to 1
  double ratio = 0.5;

  /// The calls that are looked at: those that ended in this last while, see `RecentCalls`.
  ///
  /// @range 10ms to 24h
  Duration within = std::chrono::seconds{30};

  /// How many must have ended before the part says anything.
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

  /// How long it stays open: the first delay after the trip, the next one after a probe that failed,
  /// and so on; closing begins the series anew.
  Policy open = Fixed{std::chrono::seconds{5}};

  /// How many calls go through when its time is over. If all succeed it closes; one that fails opens
  /// it again.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t probes = 1;

  /// Over how long a time those who were held back come again.
  ///
  /// @range 0 to 24h
  Duration spread = std::chrono::seconds{5};

  /// How long a probe without any news keeps its place from another.
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

/// What a breaker does with calls.
enum class BreakerState : std::uint8_t {
  closed,    ///< lets them through and counts how they end
  open,      ///< holds them back until its time is over
  half_open, ///< lets a few through, as probes
  isolated,  ///< holds them back until it is closed by hand
};

/// Returns the enumerator's name; `unknown` for a number that is none.
BACKOFF_ACTOR_EXPORT std::string_view to_string(BreakerState state);

/// A circuit breaker as a value: the same calls in the same order give the same answers, always.
///
/// @range  `now` must not go back.
/// @errors none but `std::bad_alloc`
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT CircuitBreaker {
public:
  /// Closed. Chance comes from `unit_random(seed, ...)`.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit CircuitBreaker(const CircuitBreakerOptions& options, std::uint64_t seed = 0);

  /// Asks whether a call may be made now.
  Admission admit(Instant now);

  /// A call ended, with success. Opens or closes the breaker, maybe.
  void succeeded(Permit permit, Instant now);

  /// A call ended, without success. Opens the breaker, maybe.
  void failed(Permit permit, Instant now);

  /// Nobody knows what became of a call.
  void forgotten(Permit permit);

  /// Lets nothing through until `close`.
  void isolate();

  /// Lets everything through again, and begins to count anew.
  void close();

  /// As of the last call of a member. One whose time is over is open until somebody asks.
  BreakerState state() const { return state_; }

  /// Until when it is open; `Instant::never()` if it is not, or isolated.
  Instant open_until() const;

  /// How long the present opening lasts, or the last one did.
  Duration open_for() const { return open_for_; }

  /// Failures since the last success, while it is closed.
  std::uint32_t consecutive_failures() const { return consecutive_failures_; }

  /// The calls that it judges by; of a breaker that judges by consecutive failures none.
  CallCounts counts(Instant now) const;

  /// The options.
  const CircuitBreakerOptions& options() const { return options_; }

private:
  struct Probe {
    std::uint32_t number;
    Instant began;
  };

  // The calls that the trip looks at, if it does.
  using Window = std::variant<std::monostate, LastCalls, RecentCalls>;

  static Window window_of(const Trip& trip);

  void go_to(BreakerState state);
  void open(Instant now);
  void count(bool has_failed, Instant now);
  bool is_tripped(Instant now) const;
  bool end_probe(std::uint32_t number);
  Admission admit_probe(Instant now);
  Duration stagger();

  CircuitBreakerOptions options_;
  Window window_;
  Progress openings_;
  std::vector<Probe> probes_{}; // on their way
  Instant open_until_ = Instant::never();
  Duration open_for_{0};
  std::uint64_t seed_;
  std::uint64_t staggered_ = 0; // draws so far
  std::uint32_t generation_ = 1;
  std::uint32_t last_probe_ = 0;
  std::uint32_t successes_ = 0; // of probes of this state
  std::uint32_t awaited_ = 0;   // callers that were told to come as probes
  std::uint32_t consecutive_failures_ = 0;
  BreakerState state_ = BreakerState::closed;
};

} // namespace backoff_actor
