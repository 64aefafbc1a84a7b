#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace backoff_actor {

/// How many calls there were in a window, and how many of them failed.
struct CallCounts {
  std::uint64_t calls = 0;    ///< calls that have ended
  std::uint64_t failures = 0; ///< calls of these that failed

  /// Whether two count the same.
  friend bool operator==(const CallCounts&, const CallCounts&) = default;
};

/// What a breaker does with calls.
enum class BreakerState : std::uint8_t {
  closed,    ///< lets them through and counts how they end
  open,      ///< holds them back until its time is over
  half_open, ///< lets a few through, as probes
  isolated,  ///< holds them back until it is closed by hand
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(BreakerState state);

/// What a guard has counted since it was made.
struct GuardCounters {
  std::uint64_t admitted = 0;             ///< calls let through
  std::uint64_t held_back_by_breaker = 0; ///< calls that the breaker held back
  std::uint64_t held_back_by_budget = 0;  ///< retries that the budget held back
  std::uint64_t held_back_by_rate = 0;    ///< calls that the rate held back
  std::uint64_t succeeded = 0;            ///< calls that succeeded
  std::uint64_t failed = 0;               ///< calls that failed
  std::uint64_t opened = 0;               ///< how often the breaker opened

  /// Whether all counts are the same.
  friend bool operator==(const GuardCounters&, const GuardCounters&) = default;
};

/// The status of a guard at one moment.
struct GuardStatus {
  bool has_breaker = false;                    ///< there is a circuit breaker
  BreakerState breaker = BreakerState::closed; ///< what it does with calls
  Duration open_for{0};                        ///< the rest of its open time
  std::uint32_t consecutive_failures = 0;      ///< since the last success, if it is closed
  CallCounts window{};                         ///< the calls that the breaker judges by
  bool has_budget = false;                     ///< there is a retry budget
  double retries_left = 0;                     ///< the retries that the budget holds
  bool has_rate = false;                       ///< there is a rate
  std::uint32_t calls_left = 0;                ///< the calls that the rate allows at once
  bool is_limited = false;                     ///< the rate holds calls back, or did just now
  Duration limited_for{0};                     ///< since `event::RateReached`, if it is limited
  GuardCounters counters{};                    ///< its counters
};

/// Renders a status in one line:
///
/// `circuit breaker open for 3.2s, opened 2 times; 312 calls admitted, 40 held back`.
BACKOFF_ACTOR_EXPORT std::string to_string(const GuardStatus& status);

} // namespace backoff_actor
