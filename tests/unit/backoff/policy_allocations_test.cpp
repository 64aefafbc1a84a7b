// Counts what the steps of a policy ask `operator new` for.

#include "backoff_actor/backoff/parse_policy.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include "common/allocations.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::policy_test {

class EveryPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPolicy, steps_without_an_allocation) {
  const auto policy = parse_policy(GetParam());
  const Draws draws{7, 3};
  const auto before = test::allocations();

  auto progress = policy.start();
  for (int step = 0; step < 1000; ++step)
    progress = policy.next(progress, draws(progress.draws)).progress;

  EXPECT_EQ(test::allocations() - before, 0U);
}

INSTANTIATE_TEST_SUITE_P(
  policies, EveryPolicy,
  ::testing::Values("fixed(100ms)", "linear(1s, +1s, cap 10s)", "exponential(100ms, x2, cap 30s)",
                    "exponential(100ms, x2, cap 30s) | full_jitter",
                    "exponential(100ms, x2, cap 30s) | equal_jitter",
                    "exponential(100ms, x2, cap 30s) | proportional_jitter(20%)",
                    "exponential(100ms, x2, cap 30s) | additive_jitter(1s)",
                    "exponential(100ms, x2, cap 30s) | gaussian_jitter(10%)",
                    "decorrelated(100ms, x3, cap 20s)", "random_slots(10ms, ceiling 10)",
                    "random_slots(10ms, ceiling 10, stay)", "ethernet(51.2us, ceiling 10)",
                    "memorystore(max 64s)", "seed002(100ms, x2, cap 15min, jitter 10%)"));

} // namespace backoff_actor::policy_test
