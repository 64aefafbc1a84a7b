#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <vector>

namespace backoff_actor {

/// What is to be expected of one retry's delay.
///
/// @units seconds
struct PlanRow {
  std::uint32_t attempt = 0; ///< which retry, counted from 1
  double min_s = 0;          ///< the shortest delay
  double mean_s = 0;         ///< the mean
  double max_s = 0;          ///< the longest
  double stddev_s = 0;       ///< the standard deviation

  double cumulative_min_s = 0;  ///< from the first failure to this retry, if all are shortest
  double cumulative_mean_s = 0; ///< the same in the mean
  double cumulative_max_s = 0;  ///< the same if all are longest
};

/// Returns what is to be expected of the first `attempts` retries of a policy, each of which fails
/// at once.
///
/// Computed, not drawn: closed forms, and where there is none, for `decorrelated` and `seed002` once
/// the cap has come into reach, an integration that is off by less than 1 in 1000. The draws of
/// `seed002` have no bounds; its shortest and longest delay are the ends of the middle 99.73 of 100,
/// which of a normal distribution are three standard deviations from the mean.
///
/// @shape `(policy, attempts) -> rows`, one for each retry
/// @units seconds
BACKOFF_ACTOR_EXPORT std::vector<PlanRow> plan(const Policy& policy, std::uint32_t attempts);

/// How often a client calls a service that fails at once, every time.
///
/// @units calls per hour
struct CallRate {
  double first_hour = 0; ///< calls in the hour from the first one on, which is included
  double long_run = 0;   ///< calls per hour after long; infinite if there is no delay
};

/// Returns how often a client of this policy calls a dead service, without any limit: an estimate, by
/// the sums of the mean delays. Where few long delays make up the mean, as those of `decorrelated`
/// do, there are more calls than that.
BACKOFF_ACTOR_EXPORT CallRate calls_per_hour(const Policy& policy);

} // namespace backoff_actor
