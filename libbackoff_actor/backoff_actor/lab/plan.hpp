#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <vector>

namespace backoff_actor {

/// The expected delay of one retry.
///
/// @units seconds
struct PlanRow {
  std::uint32_t attempt = 0; ///< the number of the retry, from 1
  double min_s = 0;          ///< the shortest delay
  double mean_s = 0;         ///< the mean
  double max_s = 0;          ///< the longest
  double stddev_s = 0;       ///< the standard deviation

  double cumulative_min_s = 0;  ///< from the first failure to this retry, with shortest delays
  double cumulative_mean_s = 0; ///< the same, on average
  double cumulative_max_s = 0;  ///< the same, with longest delays
};

/// Returns the expected delays of the first `attempts` retries of a policy, if each retry fails at
/// once.
///
/// The results are computed, not drawn. Most policies have closed forms. `decorrelated`, and
/// `seed002` and carried jitters once their delays can reach the cap, have none; their results are
/// integrated and off by less than 1 in 1000. The draws of `seed002` have no bounds. So its
/// shortest and longest delay enclose the middle 99.73 % of the delays; for a normal distribution
/// these bounds are three standard deviations from the mean.
///
/// @shape `(policy, attempts) -> rows`, one for each retry
/// @units seconds
BACKOFF_ACTOR_EXPORT std::vector<PlanRow> plan(const Policy& policy, std::uint32_t attempts);

/// How often a client calls a service that fails at once, every time.
///
/// @units calls per hour
struct CallRate {
  double first_hour = 0; ///< calls in the first hour, including the first call
  double long_run = 0;   ///< calls per hour in the long run; infinite if there is no delay
};

/// Returns how often a client with this policy, and without limits, calls a dead service. This is
/// an estimate from the sums of the mean delays. If a few long delays make up most of the mean, as
/// with `decorrelated`, there are more calls than that.
BACKOFF_ACTOR_EXPORT CallRate calls_per_hour(const Policy& policy);

/// What a client does that has failed since an outage began, when the service is well again.
struct AfterOutage {
  double next_call_mean_s = 0; ///< the time until it calls again, on average
  double next_call_max_s = 0;  ///< the longest; see `plan` for `seed002`
  double calls_per_s = 0;      ///< how often it calls; infinite if there is no delay
};

/// Returns what a client does after an outage of this length, if it does not give up before.
///
/// The delay that runs then is the first whose mean end is not before that of the outage. Each
/// moment of it is equally likely, and a long delay is met more often than a short one: on average
/// `(mean^2 + variance) / (2 mean)` of it is left. After 100,000 delays, and after 5,000 of
/// integrated ones, the last one stands for all that follow.
///
/// @range `outage` 0 and above
BACKOFF_ACTOR_EXPORT AfterOutage after_outage(const Policy& policy, Duration outage);

} // namespace backoff_actor
