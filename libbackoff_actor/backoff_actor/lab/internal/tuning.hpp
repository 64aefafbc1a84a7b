#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cstdint>
#include <optional>

namespace backoff_actor {

// The long-run behaviour of a backoff without jitter, for choosing its parameters. Let a be the
// first delay and r the factor. Retry n comes after a delay t(n) = a r^(n-1), at an elapsed time
// T(n) = a (r^n - 1) / (r - 1). The calls themselves are assumed to take no time. From these two
// formulas follows t(n+1) = a + (r-1) T(n), on which the tuning rests. In words: the delay after a
// retry is the first delay, plus r - 1 times the elapsed time.
//
// Everything is in seconds and in real numbers, so the functions accept any point in time.

/// The longest span that the tuning functions accept: 2,500,000 hours.
///
/// @units seconds
inline constexpr double tuning_longest_s = 9e9;

/// The shortest delay that the tuning functions accept: a nanosecond.
///
/// @units seconds
inline constexpr double tuning_shortest_delay_s = 1e-9;

/// The largest factor that the tuning functions accept.
inline constexpr double tuning_largest_factor = 1000;

/// The last retry that the tuning functions count.
inline constexpr std::uint64_t tuning_last_attempt = 1'000'000'000'000'000;

/// A series of delays, each the same factor longer than the one before it, up to a cap:
/// `min(cap, first * factor^(n-1))` before retry n.
struct DelaySeries {
  /// The delay before the first retry.
  ///
  /// @units seconds
  /// @range `tuning_shortest_delay_s` to `tuning_longest_s`
  double first_s = 1.0;

  /// The ratio of each delay to the one before it; 1 for equal delays.
  ///
  /// @range 1 to `tuning_largest_factor`
  double factor = 2.0;

  /// No delay is longer than this. Unset: no cap.
  ///
  /// @units seconds
  /// @range `first_s` to `tuning_longest_s`
  std::optional<double> cap_s = std::nullopt;
};

/// Returns all that is wrong with a series; nothing if it can be used.
BACKOFF_ACTOR_EXPORT Problems check(const DelaySeries& series);

/// One retry of a series; attempt 0 is the call before all retries.
struct RetryPoint {
  std::uint64_t attempt = 0; ///< the retry's number, from 1
  double previous_s = 0;     ///< the delay before it in seconds; 0 for attempt 0, which has none
  double elapsed_s = 0;      ///< the sum of all delays up to it, in seconds

  /// Whether two are equal.
  friend bool operator==(const RetryPoint&, const RetryPoint&) = default;
};

/// Returns a retry of a series by its number.
///
/// @range  `attempt` up to `tuning_last_attempt` + 1; the elapsed time becomes infinite if a double
///         cannot hold it.
/// @errors throws `InvalidArgument` naming every argument that is wrong.
/// @source the article on tuning an exponential backoff, its sum of a geometric series.
BACKOFF_ACTOR_EXPORT RetryPoint retry_of(const DelaySeries& series, std::uint64_t attempt);

/// Returns the number of the first retry whose delay is the cap. Returns nothing if there is no
/// cap, or if none of the first `tuning_last_attempt` retries reaches it.
///
/// @errors throws `InvalidArgument` naming every parameter that `check` finds wrong.
BACKOFF_ACTOR_EXPORT std::optional<std::uint64_t> first_capped_attempt(const DelaySeries& series);

/// What the formulas give for a retry at a certain time, even if none is due then.
struct FormulaPoint {
  /// The number of the retry, as a real number: `log_r(1 + (r-1) T / a)`. With a cap, it grows by 1
  /// for each `cap_s` after the last delay below the cap.
  double attempt = 0;

  /// The delay before the retry in seconds, `next_s / r` below the cap. Unset if `attempt` is below
  /// 1, because there is no delay then.
  std::optional<double> previous_s;

  /// The delay after the retry in seconds: `a + (r-1) T`, or the cap.
  double next_s = 0;
};

/// The position of a point in time within a series.
struct SeriesPosition {
  double elapsed_s = 0;  ///< the point in time, seconds from the first call
  bool at_retry = false; ///< whether `before` happens at that very time, up to rounding (1e-12)
  RetryPoint before;     ///< the last retry up to that time
  RetryPoint after;      ///< the first retry after it
  FormulaPoint formula;  ///< the position in real numbers
};

/// Finds a point in time in a series.
///
/// @units  seconds from the first call
/// @range  0 to `tuning_longest_s`, and within the first `tuning_last_attempt` retries
/// @errors throws `InvalidArgument` naming every argument that is wrong.
/// @source the article on tuning an exponential backoff, its formulas for t(n+1) and n.
BACKOFF_ACTOR_EXPORT SeriesPosition position_at(const DelaySeries& series, double elapsed_s);

/// Returns the factor for which each delay, in the long run, is the given share of the elapsed
/// time: `1 + ratio`.
///
/// @units  dimensionless
/// @range  0 to `tuning_largest_factor` - 1
/// @errors throws `InvalidArgument` for any other ratio.
BACKOFF_ACTOR_EXPORT double factor_for_ratio(double ratio);

/// A delay that is wanted at a certain time.
struct WantedDelay {
  /// The delay before the first retry.
  ///
  /// @units seconds
  /// @range `tuning_shortest_delay_s` to `tuning_longest_s`
  double first_s = 1.0;

  /// The time of a retry, from the first call. The delay is before or after this retry.
  ///
  /// @units seconds
  /// @range `first_s` to `tuning_longest_s`; more than `first_s` for a delay before the retry
  double elapsed_s = 0;

  /// The delay.
  ///
  /// @units seconds
  /// @range `first_s` to `cap_s`, and short enough for a factor of `tuning_largest_factor`
  double delay_s = 0;

  /// No delay of the series is longer than this. Unset: no cap.
  ///
  /// @units seconds
  /// @range `first_s` to `tuning_longest_s`
  std::optional<double> cap_s = std::nullopt;
};

/// Returns the factor for which the delay after a retry at that time is the wanted one:
/// `1 + (delay - a) / T`.
///
/// @errors throws `InvalidArgument` naming every argument that is wrong; the delay as `next_s`.
BACKOFF_ACTOR_EXPORT double factor_for_next(const WantedDelay& wanted);

/// Returns the factor for which the delay before a retry at that time is the wanted one:
/// `(T - a) / (T - delay)`.
///
/// @errors throws `InvalidArgument` naming every argument that is wrong; the delay as `previous_s`.
BACKOFF_ACTOR_EXPORT double factor_for_previous(const WantedDelay& wanted);

/// The retry that discovers that a service works again.
struct Discovery {
  std::optional<RetryPoint> before; ///< the last retry that was too early; unset if there is none
  RetryPoint finds_out;             ///< the first retry at or after the time of the recovery
  double wasted_s = 0;              ///< the time from the recovery to that retry, in seconds
};

/// Finds the first retry that succeeds if the service works from a certain time on.
///
/// @units  seconds from the first call
/// @range  0 to `tuning_longest_s`, and within the first `tuning_last_attempt` retries
/// @errors throws `InvalidArgument` naming every argument that is wrong.
BACKOFF_ACTOR_EXPORT Discovery discovery_of(const DelaySeries& series, double succeeds_at_s);

/// Two factors to compare over the same time, all else being equal.
struct FactorChange {
  /// The delay before the first retry.
  ///
  /// @units seconds
  /// @range `tuning_shortest_delay_s` to `tuning_longest_s`
  double first_s = 1.0;

  /// The current factor.
  ///
  /// @range 1 to `tuning_largest_factor`
  double from_factor = 2.0;

  /// The factor to compare with.
  ///
  /// @range 1 to `tuning_largest_factor`
  double to_factor = 2.0;

  /// The time over which the retries are counted.
  ///
  /// @units seconds
  /// @range `first_s` to `tuning_longest_s`
  double elapsed_s = 0;

  /// No delay is longer than this, with either factor. Unset: no cap.
  ///
  /// @units seconds
  /// @range `first_s` to `tuning_longest_s`
  std::optional<double> cap_s = std::nullopt;
};

/// How the number of retries changes when the factor changes.
struct RetryGrowth {
  SeriesPosition from; ///< the end of the time with the current factor
  SeriesPosition to;   ///< the same with the other factor
  double real = 0;     ///< `to.formula.attempt / from.formula.attempt`

  /// An estimate of `real`: `log(from_factor) / log(to_factor)`. It takes a r^n for T(n), and
  /// ignores the cap. Without a cap it overestimates the additional retries of a smaller factor.
  /// Unset if a factor is 1, whose logarithm is 0.
  std::optional<double> rough;
};

/// Compares the numbers of retries of two factors.
///
/// @errors throws `InvalidArgument` naming every argument that is wrong.
/// @source the article on tuning an exponential backoff, its estimate of the growth.
BACKOFF_ACTOR_EXPORT RetryGrowth growth_of(const FactorChange& change);

} // namespace backoff_actor
