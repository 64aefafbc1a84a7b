#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor {

/// How long the normal state must last, up to the end, before it counts as a recovery.
inline constexpr Duration shortest_stay = std::chrono::seconds{30};

/// The shortest time to watch after an outage: half a minute to recover, and `shortest_stay` to
/// check that the recovery lasts.
inline constexpr Duration shortest_watch = std::chrono::seconds{30} + shortest_stay;

/// What happened in one second of an experiment, simulated or real.
struct OutageSecond {
  std::uint64_t attempts = 0;         ///< calls that began
  std::uint64_t ok = 0;               ///< calls that were answered
  std::uint64_t timed_out = 0;        ///< calls that failed: answered too late, or not at all
  double concurrency = 0;             ///< requests that the service worked on at once, on average
  std::uint64_t peak_concurrency = 0; ///< the most requests at once
  double latency_s = 0;               ///< of the answered calls, on average; 0 if there were none

  /// Whether two are equal.
  friend constexpr bool operator==(const OutageSecond&, const OutageSecond&) = default;
};

/// The times of an experiment, in seconds since the beginning of the first second.
struct OutageTimes {
  double warm_s;    ///< from here on the state is normal
  double stopped_s; ///< the service was stopped
  double back_s;    ///< the service went on
};

/// Whether the state became normal again after the outage, and when.
struct Recovery {
  /// Whether it became normal.
  bool recovered = false;

  /// The time from the end of the outage to the beginning of the first normal second; unset if
  /// there is none.
  ///
  /// @units seconds
  std::optional<double> recover_s{};

  /// Whether two are equal.
  friend constexpr bool operator==(const Recovery&, const Recovery&) = default;
};

/// Returns the mean number of answers in the whole seconds from `warm_s` to `stopped_s`; 0 if there
/// are none.
BACKOFF_ACTOR_EXPORT double rate_before(const std::vector<OutageSecond>& seconds,
                                        const OutageTimes& times);

/// Returns when the state became normal again: the beginning of the first whole second after the
/// outage, at least `shortest_stay` (30 s) before the end, for which
///
/// - no call timed out from there to the end;
/// - the ten seconds that begin there had answers at 95 % of the rate before or more;
/// - their first second had at least one answer, and as many as before except for noise;
/// - the rate lasted: except for noise, it was 95 % of the rate before or more in every 60 seconds
///   from there to the end. The 60 seconds move in steps of one second. If fewer than 60 are left,
///   this holds for every 30;
/// - the same holds for all seconds from there to the end together, with half as much noise.
///
/// Calls come at random, so counts differ from their mean. For 60 seconds of 99 calls each, the
/// standard deviation is 1.3 %. Of some hundred such counts in a healthy run, one falls short by
/// more than 5 %. Therefore noise of four standard deviations is allowed. The noise is that of the
/// difference of two Poisson counts: one of the seconds looked at, and one of the seconds before.
/// It is 7 % at 99 calls a second and 60 seconds each. All seconds together are one count and not
/// hundreds, so two standard deviations are allowed there. If no ten seconds reach 95 % exactly, 95
/// % except for noise is enough for them, too.
///
/// So a healthy run hardly ever fails, whatever its rate, and a run whose calls fail never passes.
/// A slightly worse run may pass, because its last part is good by chance. Simulated runs had a
/// minute before the outage and ten minutes after it. At a steady 90 % of 99 calls a second, half
/// of the runs pass; most of these recover late, because a last part of 30 s is enough. At 85 %, 4
/// of 1000 pass. At 90 % of 990 calls a second, no run passed.
///
/// There is no recovery if fewer than 30 whole seconds after the outage are known: that is too few
/// to judge. There is none either if nothing was answered before.
///
/// @shape  `(seconds, times) -> Recovery`; pure, total, linear time
BACKOFF_ACTOR_EXPORT Recovery judge_recovery(const std::vector<OutageSecond>& seconds,
                                             const OutageTimes& times);

} // namespace backoff_actor
