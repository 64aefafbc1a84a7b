#include "backoff_actor/lab/plan.hpp"

#include "backoff_actor/lab/internal/delay_moments.hpp"

#include <cmath>
#include <limits>
#include <variant>

namespace backoff_actor {

namespace {

// The maximum number of integrated delays; they take a thousand times as long as others.
constexpr auto most_integrated = 5'000;

bool is_integrated(const Policy& policy) {
  const auto& formula = policy.formula();
  return std::holds_alternative<Decorrelated>(formula) || std::holds_alternative<Seed002>(formula)
         || policy.jitter().is_carried;
}

} // namespace

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
  constexpr auto most = 10'000'000;  // retries computed one by one
  constexpr auto settled_after = 64; // equal delays in a row

  const auto& formula = policy.formula();
  const auto moments = detail::delay_moments(policy, detail::Bounds::unneeded);
  const auto per_hour = [](double mean) {
    return mean > 0 ? hour / mean : std::numeric_limits<double>::infinity();
  };
  CallRate result;
  result.long_run = per_hour(moments->long_run_mean());
  double now = 0;
  double mean = 0;
  auto equal = 0;
  for (auto retries = 0; retries < (is_integrated(policy) ? most_integrated : most); ++retries) {
    ++result.first_hour;
    const auto next = moments->next().mean;
    // Cut to whole seconds, a delay that grows stays the same for a while.
    equal = next == mean && policy.seconds() == Seconds::any ? equal + 1 : 0;
    mean = next;
    now += mean;
    if (now > hour)
      return result;
    if (equal == settled_after)
      break;
  }
  // From here on, delays that still grow are taken as constant. That overestimates the number of
  // calls, and never underestimates it.
  const auto comes_again = std::holds_alternative<RandomSlots>(formula);
  const auto rate = comes_again ? result.long_run : per_hour(mean);
  result.first_hour += 1 + std::floor((hour - now) / hour * rate);
  return result;
}

AfterOutage after_outage(const Policy& policy, Duration outage) {
  const auto most = is_integrated(policy) ? most_integrated : 100'000;
  const auto outage_s = detail::seconds(outage);
  const auto moments = detail::delay_moments(policy, detail::Bounds::wanted);
  auto delay = moments->next();
  auto end_s = delay.mean;
  for (auto i = 1; i < most && end_s < outage_s; ++i) {
    delay = moments->next();
    end_s += delay.mean;
  }
  if (delay.mean <= 0)
    return {0, 0, std::numeric_limits<double>::infinity()};
  return {(delay.mean * delay.mean + delay.variance) / (2 * delay.mean), delay.max, 1 / delay.mean};
}

} // namespace backoff_actor
