#include "backoff_actor/lab/plan.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace backoff_actor::plan_long_run_test {

using namespace std::chrono_literals;

TEST(plan_long_run, late_rows_are_the_long_run) {
  for (const Policy& policy :
       {Policy{Decorrelated{.first = 100ms, .factor = 3, .cap = 20s}},
        Policy{Seed002{.min = 1s, .factor = 1.5, .cap = 5min, .jitter = 0.1}}}) {
    const auto last = plan(policy, 100'000).back();
    EXPECT_EQ(last.attempt, 100'000u);
    EXPECT_NEAR(last.mean_s * calls_per_hour(policy).long_run, 3600, 0.01) << to_string(policy);
  }
}

// Without jitter all delays of these were as long as the cap, or longer from one to the next.
TEST(plan_long_run, seed002_shrinks_to_nothing_where_jitter_outweighs_the_factor) {
  for (const auto factor : {1.0, 1.004}) {
    const Seed002 formula{.min = 10min, .factor = factor, .cap = 10min, .jitter = 0.1};
    const auto rate = calls_per_hour(formula);
    EXPECT_TRUE(std::isinf(rate.long_run)) << factor;
    EXPECT_NEAR(rate.first_hour, 7, 1) << factor;
    EXPECT_LT(plan(formula, 300).back().mean_s, 240) << factor;
  }
}

TEST(plan_long_run, seed002_stays_where_the_factor_outweighs_jitter) {
  const auto rate_of = [](double factor, double jitter) {
    return calls_per_hour(Seed002{.min = 10min, .factor = factor, .cap = 10min, .jitter = jitter});
  };
  EXPECT_NEAR(rate_of(1, 0).long_run, 6, 1e-3);
  EXPECT_NEAR(rate_of(2, 0.1).long_run, 6, 1e-3);
  EXPECT_NEAR(rate_of(1.01, 0.1).long_run, 11.5, 0.3);
}

} // namespace backoff_actor::plan_long_run_test
