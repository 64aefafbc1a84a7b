#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The part of a `BackOff` that changes from one failure to the next. Its policy and its draws do
/// not change, and many series can share them.
struct BackOffState {
  Progress progress{};      ///< the progress of the policy
  Duration wait_time{0};    ///< the wait before the next retry
  std::uint64_t resets = 0; ///< resets by success, and those that the formula makes itself

  /// Whether there was a failure since the last reset.
  bool is_started() const { return progress.retries > 0; }

  /// Whether two are equal.
  friend bool operator==(const BackOffState&, const BackOffState&) = default;
};

/// Returns the state after one more failure.
///
/// @range a state of this policy; `0 <= u < 1`, not checked
BACKOFF_ACTOR_EXPORT BackOffState next(const Policy& policy, const BackOffState& state, double u);

/// Returns the state after a success.
///
/// @range a state of this policy
BACKOFF_ACTOR_EXPORT BackOffState reset(const Policy& policy, const BackOffState& state);

/// A policy with the state and the draws of one series of retries, as an immutable value.
///
/// @shape  `next() -> BackOff`, `reset() -> BackOff`; nothing changes in place. The draw of a step
///         is computed, `unit_random(seed, stream, total_retries)`; no generator is stored.
/// @units  nanoseconds in `wait_time()`
/// @range  `0 <= wait_time() <= policy().longest()`
/// @thread safe from any thread, as long as nobody assigns to it.
class BACKOFF_ACTOR_EXPORT BackOff {
public:
  /// The state before the first failure: no wait, all counters 0.
  explicit BackOff(const Policy& policy = {}, std::uint64_t seed = 0, std::uint64_t stream = 0)
    : BackOff(policy, seed, stream, {policy.start()}) {}

  /// Continues from a state of a `BackOff` with this policy.
  BackOff(const Policy& policy, std::uint64_t seed, std::uint64_t stream, const BackOffState& state)
    : policy_(policy), state_(state), seed_(seed), stream_(stream) {}

  /// Returns the value after one more failure.
  [[nodiscard]] BackOff next() const;

  /// Returns the value after one more failure, with a draw given by the caller. Mainly for tests.
  ///
  /// @range `0 <= u < 1`
  /// @errors throws `InvalidArgument` for any other `u`.
  [[nodiscard]] BackOff next(double u) const;

  /// Returns the value after a success: a new series, no wait, and one more in `resets`.
  [[nodiscard]] BackOff reset() const;

  /// Returns the same value with its draws from another stream of its seed.
  [[nodiscard]] BackOff with_stream(std::uint64_t stream) const;

  /// How long to wait before the retry that follows the last failure.
  Duration wait_time() const { return state_.wait_time; }

  /// Failures in a row since the last reset; stays at 2^32 - 1.
  std::uint32_t retries() const { return state_.progress.retries; }

  /// The number of resets: those by success and those that the formula makes itself.
  std::uint64_t resets() const { return state_.resets; }

  /// How many retries used a draw so far, modulo 2^32. It is the number of the next draw in its
  /// stream.
  std::uint32_t total_retries() const { return state_.progress.draws; }

  /// Whether there was a failure since the last reset.
  bool is_started() const { return state_.is_started(); }

  /// The part that changes from one failure to the next.
  const BackOffState& state() const { return state_; }

  /// The policy.
  const Policy& policy() const { return policy_; }

  /// The seed of the draws.
  std::uint64_t seed() const { return seed_; }

  /// The stream of the draws within the seed.
  std::uint64_t stream() const { return stream_; }

  /// Whether two have the same policy and the same state, and hence the same future.
  friend bool operator==(const BackOff&, const BackOff&) = default;

private:
  Policy policy_;
  BackOffState state_;
  std::uint64_t seed_;
  std::uint64_t stream_;
};

/// Renders the state in one line, with the coordinates of the last draw if there was one since the
/// last reset: `wait 30ms, retries 2, resets 1, total_retries 9, draw (seed 7, stream 3, n 8)`.
/// With random slots the line begins with `slot 3/10, `.
BACKOFF_ACTOR_EXPORT std::string to_string(const BackOff& backoff);

} // namespace backoff_actor
