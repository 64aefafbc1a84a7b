#include "backoff_actor/backoff/plan.hpp"

#include "backoff_actor/backoff/delay_moments.hpp"

#include <cmath>
#include <limits>

namespace backoff_actor {

std::vector<PlanRow> plan(const Policy& policy, std::uint32_t attempts) {
  const auto moments = detail::delay_moments(policy, detail::Bounds::wanted);
  std::vector<PlanRow> rows;
  rows.reserve(attempts);
  PlanRow sum;
  for (std::uint32_t attempt = 1; rows.size() < attempts; ++attempt) {
    const auto x = moments->next();
    sum.cumulative_min_s += x.min;
    sum.cumulative_mean_s += x.mean;
    sum.cumulative_max_s += x.max;
    rows.push_back({attempt, x.min, x.mean, x.max, std::sqrt(x.variance), sum.cumulative_min_s,
                    sum.cumulative_mean_s, sum.cumulative_max_s});
  }
  return rows;
}

CallRate calls_per_hour(const Policy& policy) {
  constexpr double hour = 3600;      // s
  constexpr auto one_by_one = 5'000; // retries; what is left of the hour is taken as the long run
  const auto moments = detail::delay_moments(policy, detail::Bounds::unneeded);
  const auto mean = moments->long_run_mean();
  CallRate result;
  result.long_run = mean > 0 ? hour / mean : std::numeric_limits<double>::infinity();
  double now = 0;
  for (auto retries = 0; retries < one_by_one; ++retries) {
    ++result.first_hour;
    now += moments->next().mean;
    if (now > hour)
      return result;
  }
  result.first_hour += (hour - now) / hour * result.long_run;
  return result;
}

} // namespace backoff_actor
