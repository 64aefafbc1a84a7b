#pragma once

#include "backoff_actor/core/time.hpp"

#include <cstdint>

namespace backoff_actor {

/// The longest delay that there is, 100 years: what a policy without a cap grows to.
inline constexpr Duration max_delay = std::chrono::hours{876'000};

/// How far a series of retries has come: all that changes from one `Policy::next` to the next.
struct Progress {
  /// Before the first retry of nothing in particular; `Policy::start` gives that of a policy.
  constexpr Progress() = default;

  /// All at once.
  constexpr Progress(double level_now, std::uint32_t retries_so_far, std::uint32_t draws_so_far)
    : level(level_now), retries(retries_so_far), draws(draws_so_far) {}

  /// The same progress.
  constexpr Progress(const Progress&) = default;

  /// Member by member: as one move of 16 bytes, compilers write the numbers to memory first and read
  /// them back at once, which takes longer than a whole step.
  constexpr Progress& operator=(const Progress& other) {
    level = other.level;
    retries = other.retries;
    draws = other.draws;
    return *this;
  }

  /// What the formula goes on from, in nanoseconds: the next delay before jitter, or the last.
  double level = 0;

  /// Retries in a row; stays at 2^32 - 1.
  std::uint32_t retries = 0;

  /// Numbers drawn so far, which is the number of the next draw in its stream; begins again after
  /// 2^32 of them.
  std::uint32_t draws = 0;

  /// Whether two are alike in everything.
  friend constexpr bool operator==(const Progress&, const Progress&) = default;
};

static_assert(sizeof(Progress) == 16);

/// One retry: how long to wait for it, and how to go on after it.
struct Step {
  Progress progress; ///< to be given to the next step
  Duration delay;    ///< before this retry
};

namespace detail {

constexpr double in_nanoseconds(Duration span) { return static_cast<double>(span.count()); }

/// How a delay v before jitter grows, in nanoseconds: from `first` by `v * factor + step`, where
/// the factor is 1 or the step is 0, so that contraction changes nothing.
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
