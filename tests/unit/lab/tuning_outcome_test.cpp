// What a series costs: who finds out late that a service is well again, and how often it is called.

#include "backoff_actor/lab/internal/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>

namespace backoff_actor {

void PrintTo(const RetryPoint& retry, std::ostream* stream); // in tuning_test.cpp

} // namespace backoff_actor

namespace backoff_actor::tuning_outcome_test {

using ::testing::Optional;

constexpr DelaySeries doubling{.first_s = 1, .factor = 2};
constexpr DelaySeries by_a_tenth{.first_s = 1, .factor = 1.1};
constexpr DelaySeries capped{.first_s = 1, .factor = 2, .cap_s = 60};

// -- who finds out --------------------------------------------------------------

TEST(tuning_discovery, a_success_at_1030_seconds_is_found_out_at_2047) {
  const auto discovery = discovery_of(doubling, 1030);
  EXPECT_THAT(discovery.before, Optional(RetryPoint{10, 512, 1023}));
  EXPECT_EQ(discovery.finds_out, (RetryPoint{11, 1024, 2047}));
  EXPECT_EQ(discovery.wasted_s, 1017);
}

TEST(tuning_discovery, a_smaller_factor_finds_out_earlier) {
  const auto discovery = discovery_of(by_a_tenth, 1030);
  EXPECT_EQ(discovery.finds_out.attempt, 49u);
  EXPECT_NEAR(discovery.wasted_s, 27.189572, 1e-6);
}

TEST(tuning_discovery, a_success_right_at_a_retry_wastes_nothing) {
  const auto discovery = discovery_of(doubling, 1023);
  EXPECT_THAT(discovery.before, Optional(RetryPoint{9, 256, 511}));
  EXPECT_EQ(discovery.finds_out, (RetryPoint{10, 512, 1023}));
  EXPECT_EQ(discovery.wasted_s, 0);
}

TEST(tuning_discovery, the_call_itself_finds_out_what_works_from_the_start) {
  const auto discovery = discovery_of(doubling, 0);
  EXPECT_EQ(discovery.before, std::nullopt);
  EXPECT_EQ(discovery.finds_out, (RetryPoint{0, 0, 0}));
  EXPECT_EQ(discovery.wasted_s, 0);
}

TEST(tuning_discovery, a_cap_bounds_what_is_wasted) {
  const auto discovery = discovery_of(capped, 1030);
  EXPECT_EQ(discovery.finds_out, (RetryPoint{23, 60, 1083}));
  EXPECT_EQ(discovery.wasted_s, 53);
}

// -- what a smaller factor costs ------------------------------------------------

TEST(tuning_growth, from_2_to_1_1_is_nearly_5_in_reality_and_7_at_a_rough_guess) {
  const auto growth =
    growth_of({.first_s = 1, .from_factor = 2, .to_factor = 1.1, .elapsed_s = 1000});
  EXPECT_EQ(growth.from.before.attempt, 9u);
  EXPECT_NEAR(growth.from.formula.attempt, 9.967226, 1e-6);
  EXPECT_EQ(growth.to.before.attempt, 48u);
  EXPECT_NEAR(growth.to.formula.attempt, 48.422115, 1e-6);
  EXPECT_NEAR(growth.real, 4.858133, 1e-6);
  EXPECT_NEAR(growth.rough.value(), 7.272541, 1e-6);
}

TEST(tuning_growth, to_the_same_factor_is_none) {
  const auto growth = growth_of({.from_factor = 2, .to_factor = 2, .elapsed_s = 1000});
  EXPECT_EQ(growth.real, 1);
  EXPECT_THAT(growth.rough, Optional(1));
}

TEST(tuning_growth, has_no_rough_guess_for_a_factor_of_1) {
  const auto to_equal = growth_of({.from_factor = 2, .to_factor = 1, .elapsed_s = 1023});
  EXPECT_DOUBLE_EQ(to_equal.real, 102.3);
  EXPECT_EQ(to_equal.rough, std::nullopt);
  const auto from_equal = growth_of({.from_factor = 1, .to_factor = 2, .elapsed_s = 1023});
  EXPECT_DOUBLE_EQ(from_equal.real, 10.0 / 1023);
  EXPECT_EQ(from_equal.rough, std::nullopt);
}

TEST(tuning_growth, behind_a_cap_counts_the_retries_at_the_cap) {
  const auto growth = growth_of({.from_factor = 2, .to_factor = 1, .elapsed_s = 903, .cap_s = 60});
  EXPECT_EQ(growth.from.before.attempt, 20u);
  EXPECT_DOUBLE_EQ(growth.real, 45.15);
}

} // namespace backoff_actor::tuning_outcome_test
