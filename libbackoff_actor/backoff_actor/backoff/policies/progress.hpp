#pragma once

#include "backoff_actor/core/time.hpp"

#include <cstdint>

namespace backoff_actor {

/// The longest possible delay, 100 years. A policy without a cap grows up to it.
inline constexpr Duration max_delay = std::chrono::hours{876'000};

/// The position in a series of retries: all that changes from one `Policy::next` to the next.
struct Progress {
  /// An empty progress, which belongs to no policy. `Policy::start` returns the first one of a
  /// policy.
  constexpr Progress() = default;

  /// Sets all three members.
  constexpr Progress(double level_now, std::uint32_t retries_so_far, std::uint32_t draws_so_far)
    : level(level_now), retries(retries_so_far), draws(draws_so_far) {}

  /// Copies all members.
  constexpr Progress(const Progress&) = default;

  /// Assigns member by member, because that is faster. Otherwise compilers move 16 bytes at once:
  /// they write the members to memory and read them back, which takes longer than a whole step.
  constexpr Progress& operator=(const Progress& other) {
    level = other.level;
    retries = other.retries;
    draws = other.draws;
    return *this;
  }

  /// The value that the formula continues from, in nanoseconds: the next delay before jitter, or
  /// the last delay.
  double level = 0;

  /// Retries in a row; stays at 2^32 - 1.
  std::uint32_t retries = 0;

  /// How many numbers were drawn so far, modulo 2^32. It is also the number of the next draw in its
  /// stream.
  std::uint32_t draws = 0;

  /// Whether two are equal.
  friend constexpr bool operator==(const Progress&, const Progress&) = default;
};

static_assert(sizeof(Progress) == 16);

/// One retry: the delay before it, and the progress after it.
struct Step {
  Progress progress; ///< the argument of the next step
  Duration delay;    ///< before this retry
};

namespace detail {

constexpr double in_nanoseconds(Duration span) { return static_cast<double>(span.count()); }

/// How a delay v before jitter grows, in nanoseconds: it starts at `first`, and the next v is
/// `v * factor + step`. The factor is 1 or the step is 0, so contraction to a fused multiply-add
/// changes nothing.
struct Growth {
  double first = 0;
  double factor = 1;
  double step = 0;
};

constexpr std::uint32_t one_more(std::uint32_t retries) {
  return retries + static_cast<std::uint32_t>(retries != UINT32_MAX);
}

} // namespace detail

} // namespace backoff_actor
