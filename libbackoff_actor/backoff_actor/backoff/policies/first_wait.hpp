#pragma once

#include "backoff_actor/core/time.hpp"

#include <cstdint>

namespace backoff_actor {

/// Delays of their own before the first retries; after them the formula begins:
/// `exponential(200ms, x2) | first_wait(0ns)`, `| first_wait(0ns, times 4)`.
///
/// They have no jitter.
struct FirstWait {
  /// The delay.
  ///
  /// @range a whole number of milliseconds from 0 to the longest delay of the formula, at most
  ///        2^32 - 1, 49 days
  Duration wait{0};

  /// Before how many retries. 0: there is none.
  ///
  /// @range 1 to 32
  int times = 1;

  /// Whether two are equal.
  friend constexpr bool operator==(const FirstWait&, const FirstWait&) = default;
};

/// The formula begins at once.
inline constexpr FirstWait no_first_wait{Duration::zero(), 0};

/// Before the first retry, or the first few, this delay.
constexpr FirstWait first_wait(Duration wait, int times = 1) { return {wait, times}; }

/// Whether delays are whole seconds.
enum class Seconds : std::uint8_t {
  any,   ///< any nanosecond
  whole, ///< the formula's delay is cut to whole seconds; a jitter draws whole seconds from the
         ///< lower end to the upper, both included. Not with `gaussian_jitter`.
};

/// `exponential(1s, x2) | full_jitter | whole_seconds`.
inline constexpr Seconds whole_seconds = Seconds::whole;

} // namespace backoff_actor
