#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace backoff_actor {

/// The parameters of an `ExponentialBackOff`.
struct ExponentialBackOffSpec {
  /// What one slot lasts.
  ///
  /// @range 1 ns to 24 h
  Duration slot_time = std::chrono::milliseconds{10};

  /// The last slot.
  ///
  /// @range 1 to 62, and the longest wait, `slot_time * (2^ceiling - 1)`, must stay below 292 years
  int ceiling = 10;

  /// At the ceiling: go on there, instead of starting again at slot 1 after a retry without a wait.
  bool stay_at_ceiling = false;

  /// The seed of the draws. Unset: 0; a `BackOffSender` puts a number in that it draws once per
  /// process.
  std::optional<std::uint64_t> seed = std::nullopt;

  /// The stream of the draws within the seed. Unset: 0; a `BackOffSender` puts its own number in,
  /// so that no two of them march in step.
  std::optional<std::uint64_t> stream = std::nullopt;
};

/// Returns all that is wrong with the parameters; nothing if an `ExponentialBackOff` can be made of
/// them.
BACKOFF_ACTOR_EXPORT Problems check(const ExponentialBackOffSpec& spec);

/// The truncated exponential backoff of the article, to the letter, as an immutable value.
///
/// A step at slot s draws `exp` uniformly from 0..s, both ends included, and waits
/// `slot_time * (2^exp - 1)`; then s grows by 1 up to the ceiling. With 10 ms and a ceiling of 10:
///
/// | failure in a row |   1 |   2 |   3 |   4 |   5 |   6 |    7 |    8 |    9 |   10 |
/// |------------------|----:|----:|----:|----:|----:|----:|-----:|-----:|-----:|-----:|
/// | mean wait, ms    |   5 |  13 |  28 |  52 |  95 | 171 |  309 |  558 | 1013 |    0 |
/// | longest wait, ms |  10 |  30 |  70 | 150 | 310 | 630 | 1270 | 2550 | 5110 |    0 |
///
/// The wait may be zero at every slot, with a chance of 1 in s + 1. At the ceiling a step does not
/// draw but resets: one retry without a wait, after which the series begins again. That free retry
/// is the article's; where it is not wanted, and behind a failing service it hardly ever is, set
/// `stay_at_ceiling`: then the tenth failure waits 1851 ms in the mean and 10230 ms at most, and so
/// do all after it.
///
/// @shape  `next() -> ExponentialBackOff`, `reset() -> ExponentialBackOff`; nothing changes in
///         place. The draw of a step is `unit_random(seed, stream, total_retries)`: nothing is
///         stored for it.
/// @units  nanoseconds in `wait_time()`
/// @range  `0 <= wait_time() <= slot_time * (2^ceiling - 1)`
/// @errors the constructor throws `InvalidArgument` naming every parameter that `check` finds
///         wrong.
/// @thread safe from any thread, as long as nobody assigns to it.
/// @source Roestenburg, "Exponential Backoff with Akka Actors", and its code in `patterns`, 2012.
class BACKOFF_ACTOR_EXPORT ExponentialBackOff {
public:
  /// Begins at slot 1, with nothing to wait and nothing counted.
  ///
  /// @errors throws `InvalidArgument` naming every parameter that `check` finds wrong.
  explicit ExponentialBackOff(const ExponentialBackOffSpec& spec = {});

  /// Returns the value after one more failure.
  [[nodiscard]] ExponentialBackOff next() const;

  /// Returns the value after one more failure for a draw of the caller's own, above all in tests.
  ///
  /// `exp` becomes the whole part of `u * (slot() + 1)`. A reset at the ceiling does without.
  ///
  /// @units dimensionless
  /// @range `0 <= u < 1`
  /// @errors throws `InvalidArgument` for any other `u`.
  [[nodiscard]] ExponentialBackOff next(double u) const;

  /// Returns the value after a success: slot 1, nothing to wait, `resets` counted.
  [[nodiscard]] ExponentialBackOff reset() const;

  /// Returns the value with its draws from another stream of its seed, and the rest unchanged.
  [[nodiscard]] ExponentialBackOff with_stream(std::uint64_t stream) const;

  /// How long to wait before the retry that the last `next()` stands for.
  Duration wait_time() const { return wait_time_; }

  /// Failures in a row since the last reset; stays at 2^32 - 1.
  std::uint32_t retries() const { return retries_; }

  /// Resets by success and resets at the ceiling, together.
  std::uint64_t resets() const { return resets_; }

  /// Retries that waited for a draw, ever; the number of the next draw within its stream.
  std::uint64_t total_retries() const { return total_retries_; }

  /// Whether there was a failure since the last reset.
  bool is_started() const { return retries_ > 0; }

  /// The largest exponent that the next draw can give.
  ///
  /// @range 1 to `ceiling()`
  int slot() const { return slot_; }

  /// What one slot lasts.
  Duration slot_time() const { return slot_time_; }

  /// The last slot.
  int ceiling() const { return ceiling_; }

  /// Whether the series goes on at the ceiling instead of starting again at slot 1.
  bool stay_at_ceiling() const { return stay_at_ceiling_; }

  /// The seed of the draws, 0 if none was given.
  std::uint64_t seed() const { return seed_; }

  /// The stream of the draws within the seed, 0 if none was given.
  std::uint64_t stream() const { return stream_; }

  /// Whether two have the same parameters and the same state, and hence the same future.
  friend bool operator==(const ExponentialBackOff&, const ExponentialBackOff&) = default;

private:
  Duration slot_time_;
  Duration wait_time_{0};
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t resets_ = 0;
  std::uint64_t total_retries_ = 0;
  std::uint32_t retries_ = 0;
  std::uint8_t ceiling_;
  std::uint8_t slot_ = 1;
  bool stay_at_ceiling_;
};

/// Renders the state in one line, with the coordinates of the last draw unless it was reset since:
/// `slot 3/10, wait 30ms, retries 2, resets 1, total_retries 9, draw (seed 7, stream 3, n 8)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const ExponentialBackOff& backoff);

} // namespace backoff_actor
