#include "backoff_actor/lab/internal/recovery_advice.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace backoff_actor {

namespace {

constexpr auto infinite = std::numeric_limits<double>::infinity();

TEST(recovery_advice, is_none_if_none_recovers) {
  EXPECT_EQ(recovery_advice({}, 2), std::nullopt);
  EXPECT_EQ(recovery_advice({{std::nullopt, 1, 0}, {std::nullopt, 0.5, 0}}, 2), std::nullopt);
}

TEST(recovery_advice, is_the_one_that_recovers_soonest_of_those_whose_load_is_bearable) {
  EXPECT_EQ(
    recovery_advice({{60, 1, 0}, {1, 2.1, 0}, {4, 1.9, 0}, {5, 1.1, 0}, {0, infinite, 0}}, 2),
    (RecoveryAdvice{2, true}));
}

TEST(recovery_advice, takes_twice_the_calls_for_bearable_and_no_more) {
  EXPECT_EQ(recovery_advice({{4, 1, 0}, {1, 2, 0}}, 2), (RecoveryAdvice{1, true}));
  EXPECT_EQ(recovery_advice({{4, 1, 0}, {1, 2.001, 0}}, 2), (RecoveryAdvice{0, true}));
  EXPECT_EQ(recovery_advice({{1, 2.001, 0}, {4, 1, 0}}, 2), (RecoveryAdvice{1, true}));
}

TEST(recovery_advice, is_the_one_with_the_least_load_if_none_is_bearable) {
  EXPECT_EQ(recovery_advice({{1, 9, 0}, {30, 3, 0}, {20, 3, 0}, {std::nullopt, 2.5, 0}}, 2),
            (RecoveryAdvice{2, false}));
}

TEST(recovery_advice,
     is_the_soonest_whatever_its_load_if_recovery_shows_that_the_load_is_bearable) {
  EXPECT_EQ(recovery_advice({{60, 1, 0}, {1, 2.7, 0}, {std::nullopt, 1, 0}}, infinite),
            (RecoveryAdvice{1, true}));
}

TEST(recovery_advice, prefers_the_fewest_dead_letters_to_all_else) {
  EXPECT_EQ(recovery_advice({{1, 1, 3}, {600, 9, 2}, {2, 1, 3}}, 2), (RecoveryAdvice{1, false}));
}

TEST(recovery_advice, is_the_lighter_of_two_that_recover_together_and_the_first_of_equals) {
  EXPECT_EQ(recovery_advice({{4, 1.5, 0}, {4, 1.2, 0}, {4, 1.2, 0}}, 2), (RecoveryAdvice{1, true}));
}

} // namespace

} // namespace backoff_actor
