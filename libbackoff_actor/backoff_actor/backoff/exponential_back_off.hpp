#pragma once

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace backoff_actor {

/// The parameters of an `ExponentialBackOff`: those of its formula, and where its draws come from.
struct ExponentialBackOffSpec {
  /// What one slot lasts.
  ///
  /// @range 1 ns to 24 h
  Duration slot_time = std::chrono::milliseconds{10};

  /// The last slot.
  ///
  /// @range 1 to 62, and the longest wait, `slot_time * (2^ceiling - 1)`, must stay below 292 years
  int ceiling = 10;

  /// At the ceiling: stay there. Otherwise the series starts again at slot 1 after a retry without
  /// a wait.
  bool stay_at_ceiling = false;

  /// The seed of the draws.
  std::uint64_t seed = 0;

  /// The stream of the draws within the seed.
  std::uint64_t stream = 0;
};

/// Returns all that is wrong with the parameters. If nothing is, an `ExponentialBackOff` can be
/// constructed from them.
BACKOFF_ACTOR_EXPORT Problems check(const ExponentialBackOffSpec& spec);

/// The truncated exponential backoff of the article "Exponential Backoff with Akka Actors", as an
/// immutable value.
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
/// draw but resets: there is one retry without a wait, and the series begins again, as in the
/// article. Behind a failing service it is hardly ever wanted. To avoid it, set
/// `stay_at_ceiling`: the tenth failure and all after it then wait 1851 ms on average and 10230 ms
/// at most.
///
/// The class is a `BackOff` with the policy `RandomSlots`. Its parts have the article's names.
///
/// @shape  `next() -> ExponentialBackOff`, `reset() -> ExponentialBackOff`; nothing changes in
///         place. The draw of a step is computed, `unit_random(seed, stream, total_retries)`; no
///         generator is stored.
/// @units  nanoseconds in `wait_time()`
/// @range  `0 <= wait_time() <= slot_time * (2^ceiling - 1)`
/// @errors the constructor throws `InvalidArgument` naming every parameter that `check` finds
///         wrong.
/// @thread safe from any thread, as long as nobody assigns to it.
/// @source Roestenburg, "Exponential Backoff with Akka Actors", and its code in `patterns`, 2012.
class BACKOFF_ACTOR_EXPORT ExponentialBackOff {
public:
  /// Begins at slot 1, with no wait and all counters 0.
  ///
  /// @errors throws `InvalidArgument` naming every parameter that `check` finds wrong.
  explicit ExponentialBackOff(const ExponentialBackOffSpec& spec = {});

  /// Returns the value after one more failure.
  [[nodiscard]] ExponentialBackOff next() const { return ExponentialBackOff{backoff_.next()}; }

  /// Returns the value after one more failure, with a draw given by the caller. Mainly for tests.
  ///
  /// `exp` becomes the whole part of `u * (slot() + 1)`. A reset at the ceiling does not use `u`.
  ///
  /// @units dimensionless
  /// @range `0 <= u < 1`
  /// @errors throws `InvalidArgument` for any other `u`.
  [[nodiscard]] ExponentialBackOff next(double u) const {
    return ExponentialBackOff{backoff_.next(u)};
  }

  /// Returns the value after a success: slot 1, no wait, and one more in `resets`.
  [[nodiscard]] ExponentialBackOff reset() const { return ExponentialBackOff{backoff_.reset()}; }

  /// How long to wait before the retry that follows the last failure.
  Duration wait_time() const { return backoff_.wait_time(); }

  /// Failures in a row since the last reset; stays at 2^32 - 1.
  std::uint32_t retries() const { return backoff_.retries(); }

  /// Resets by success and resets at the ceiling, together.
  std::uint64_t resets() const { return backoff_.resets(); }

  /// How many retries used a draw so far, modulo 2^32. It is the number of the next draw in its
  /// stream.
  std::uint32_t total_retries() const { return backoff_.total_retries(); }

  /// Whether there was a failure since the last reset.
  bool is_started() const { return backoff_.is_started(); }

  /// The largest exponent that the next draw can give.
  ///
  /// @range 1 to `ceiling()`
  int slot() const { return detail::slot_after(formula(), retries()); }

  /// What one slot lasts.
  Duration slot_time() const { return formula().slot_time; }

  /// The last slot.
  int ceiling() const { return formula().ceiling; }

  /// Whether the series stays at the ceiling instead of starting again at slot 1.
  bool stay_at_ceiling() const { return formula().stay_at_ceiling; }

  /// The seed of the draws.
  std::uint64_t seed() const { return backoff_.seed(); }

  /// The stream of the draws within the seed.
  std::uint64_t stream() const { return backoff_.stream(); }

  /// Whether two have the same parameters and the same state, and hence the same future.
  friend bool operator==(const ExponentialBackOff&, const ExponentialBackOff&) = default;

  /// Renders the state in one line, like that of a `BackOff`:
  ///
  /// `slot 3/10, wait 30ms, retries 2, resets 1, total_retries 9, draw (seed 7, stream 3, n 8)`.
  friend std::string to_string(const ExponentialBackOff& x) { return to_string(x.backoff_); }

private:
  explicit ExponentialBackOff(const BackOff& backoff) : backoff_(backoff) {}

  const RandomSlots& formula() const { return std::get<RandomSlots>(backoff_.policy().formula()); }

  BackOff backoff_;
};

} // namespace backoff_actor
