#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// A policy with a series of retries of its own, and its draws, as an immutable value.
///
/// @shape  `next() -> BackOff`, `reset() -> BackOff`; nothing changes in place. The draw of a step
///         is `unit_random(seed, stream, total_retries)`: nothing is stored for it.
/// @units  nanoseconds in `wait_time()`
/// @range  `0 <= wait_time() <= policy().longest()`
/// @thread safe from any thread, as long as nobody assigns to it.
class BACKOFF_ACTOR_EXPORT BackOff {
public:
  /// Before the first failure, with nothing to wait and nothing counted.
  explicit BackOff(const Policy& policy = {}, std::uint64_t seed = 0, std::uint64_t stream = 0)
    : policy_(policy), progress_(policy.start()), seed_(seed), stream_(stream) {}

  /// Returns the value after one more failure.
  [[nodiscard]] BackOff next() const;

  /// Returns the value after one more failure for a draw of the caller's own, above all in tests.
  ///
  /// @range `0 <= u < 1`
  /// @errors throws `InvalidArgument` for any other `u`.
  [[nodiscard]] BackOff next(double u) const;

  /// Returns the value after a success: a new series, nothing to wait, `resets` counted.
  [[nodiscard]] BackOff reset() const;

  /// Returns the value with its draws from another stream of its seed, and the rest unchanged.
  [[nodiscard]] BackOff with_stream(std::uint64_t stream) const;

  /// How long to wait before the retry that the last `next()` stands for.
  Duration wait_time() const { return wait_time_; }

  /// Failures in a row since the last reset; stays at 2^32 - 1.
  std::uint32_t retries() const { return progress_.retries; }

  /// Resets by success, and those that the formula makes itself, together.
  std::uint64_t resets() const { return resets_; }

  /// Retries that waited for a draw, ever, modulo 2^32; the number of the next draw in its stream.
  std::uint32_t total_retries() const { return progress_.draws; }

  /// Whether there was a failure since the last reset.
  bool is_started() const { return progress_.retries > 0; }

  /// How long to wait.
  const Policy& policy() const { return policy_; }

  /// The seed of the draws.
  std::uint64_t seed() const { return seed_; }

  /// The stream of the draws within the seed.
  std::uint64_t stream() const { return stream_; }

  /// Whether two have the same policy and the same state, and hence the same future.
  friend bool operator==(const BackOff&, const BackOff&) = default;

private:
  Policy policy_;
  Progress progress_;
  Duration wait_time_{0};
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t resets_ = 0;
};

/// Renders the state in one line, with the coordinates of the last draw unless it was reset since:
/// `wait 30ms, retries 2, resets 1, total_retries 9, draw (seed 7, stream 3, n 8)`. With random
/// slots it begins with `slot 3/10, `.
BACKOFF_ACTOR_EXPORT std::string to_string(const BackOff& backoff);

} // namespace backoff_actor
