#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor {

/// How long all must be as before, up to the end, for a verdict that it is.
inline constexpr Duration shortest_stay = std::chrono::seconds{30};

/// How long must at least be watched what comes after an outage: half a minute to recover in, and `shortest_stay` to see
/// that it stays so.
inline constexpr Duration shortest_watch = std::chrono::seconds{30} + shortest_stay;

/// What happened in one second of an experiment, simulated or real.
struct OutageSecond {
  std::uint64_t attempts = 0;         ///< calls that began
  std::uint64_t ok = 0;               ///< calls that were answered
  std::uint64_t timed_out = 0;        ///< calls that failed: not answered in time, or not at all
  double concurrency = 0;             ///< requests that the service worked on at once, on average
  std::uint64_t peak_concurrency = 0; ///< the most of them
  double latency_s = 0;               ///< of those answered, on average; 0 if there were none

  /// Whether two are alike in everything.
  friend constexpr bool operator==(const OutageSecond&, const OutageSecond&) = default;
};

/// When what happened, in seconds since the beginning of the first of the seconds.
struct OutageTimes {
  double warm_s;    ///< from here on all is as usual
  double stopped_s; ///< the service was stopped
  double back_s;    ///< it went on
};

/// Whether all was as before the outage, and since when.
struct Recovery {
  /// Whether it was.
  bool recovered = false;

  /// From the end of the outage to the beginning of the first second of which it is true; unset if
  /// there is none.
  ///
  /// @units seconds
  std::optional<double> recover_s{};

  /// Whether two are alike in everything.
  friend constexpr bool operator==(const Recovery&, const Recovery&) = default;
};

/// Returns the mean number of answers in the whole seconds from `warm_s` to `stopped_s`; 0 if there
/// are none.
BACKOFF_ACTOR_EXPORT double rate_before(const std::vector<OutageSecond>& seconds,
                                        const OutageTimes& times);

/// Returns since when all was as before the outage: the first whole second after it, with `shortest_stay`
/// (30 s) or more from its beginning to the end, from which on
///
/// - no call timed out, to the end;
/// - in the ten seconds that begin there, answers came at 95 % of the rate before or more, and in the
///   first of them some, and as many but for noise;
/// - and it stayed so: at 95 % of the rate before or more but for noise, in every 60 seconds from there
///   to the end, and in every 30 where fewer than 60 are left, in steps of one second;
/// - and in all seconds from there to the end together, but for half as much noise.
///
/// Calls come at random, so that counts differ from their mean: by a standard deviation of 1.3 % in 60
/// seconds of 99 calls each, so that of some hundred such counts one falls short by more than 5 %
/// although all is well. Therefore noise is allowed for: by four standard deviations of the
/// difference of two Poisson counts, that of the seconds looked at and that of those before: 7 % at
/// 99 calls a second and 60 seconds each. All seconds together are one count, not hundreds: there two
/// standard deviations are allowed for. Where no ten seconds reach 95 % but for noise, that is enough
/// of them, too. So a healthy run hardly ever fails, whatever its rate; one whose calls fail does not
/// pass in any case. One that is a little worse may pass, since some stretch up to the end is good by
/// chance: at a steady 90 % of 99 calls a second, with a minute before and ten after, every second one
/// (mostly late: 30 s are enough), at 85 % 4 of 1000; at 90 % of 990 calls none was found.
///
/// Nothing recovered if fewer than 30 whole seconds after the outage are known, which is too few to
/// tell, or if nothing was answered before.
///
/// @shape  `(seconds, times) -> Recovery`; pure, total, linear time
BACKOFF_ACTOR_EXPORT Recovery judge_recovery(const std::vector<OutageSecond>& seconds,
                                             const OutageTimes& times);

} // namespace backoff_actor
