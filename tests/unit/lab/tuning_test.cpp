#include "backoff_actor/lab/internal/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace backoff_actor {

void PrintTo(const RetryPoint& retry, std::ostream* stream) {
  *stream << "{" << retry.attempt << ", " << retry.previous_s << ", " << retry.elapsed_s << "}";
}

} // namespace backoff_actor

namespace backoff_actor::tuning_test {

using ::testing::Optional;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto infinity = std::numeric_limits<double>::infinity();

constexpr DelaySeries doubling{.first_s = 1, .factor = 2};
constexpr DelaySeries by_a_tenth{.first_s = 1, .factor = 1.1};
constexpr DelaySeries equal{.first_s = 2.5, .factor = 1};
constexpr DelaySeries capped{.first_s = 1, .factor = 2, .cap_s = 60};

struct Row {
  std::uint64_t attempt;
  double previous_s;
  double elapsed_s;
};

void expect_rows(const DelaySeries& series, const std::vector<Row>& rows, double tolerance = 0) {
  for (const auto& row : rows) {
    const auto retry = retry_of(series, row.attempt);
    EXPECT_EQ(retry.attempt, row.attempt);
    EXPECT_NEAR(retry.previous_s, row.previous_s, tolerance) << "attempt " << row.attempt;
    EXPECT_NEAR(retry.elapsed_s, row.elapsed_s, tolerance) << "attempt " << row.attempt;
  }
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
    return "nothing is refused";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

// -- the retries of a series ----------------------------------------------------

TEST(tuning_series, doubling_from_a_second_is_exact) {
  expect_rows(doubling, {{0, 0, 0},
                         {1, 1, 1},
                         {2, 2, 3},
                         {3, 4, 7},
                         {4, 8, 15},
                         {5, 16, 31},
                         {6, 32, 63},
                         {7, 64, 127},
                         {8, 128, 255},
                         {9, 256, 511},
                         {10, 512, 1023},
                         {11, 1024, 2047},
                         {53, 4503599627370496, 9007199254740991}});
}

TEST(tuning_series, a_factor_of_1_1_gives_the_article_s_table) {
  expect_rows(by_a_tenth,
              {{1, 1.000, 1.000},
               {2, 1.100, 2.100},
               {3, 1.210, 3.310},
               {48, 88.197485259, 960.172337849},
               {49, 97.017233785, 1057.189571634}},
              1e-9);
}

TEST(tuning_series, a_factor_of_1_gives_equal_delays) {
  expect_rows(equal, {{0, 0, 0}, {1, 2.5, 2.5}, {2, 2.5, 5}, {1000000, 2.5, 2500000}});
}

TEST(tuning_series, a_cap_ends_the_growth_and_time_goes_on_by_the_cap) {
  expect_rows(capped, {{6, 32, 63}, {7, 60, 123}, {8, 60, 183}, {20, 60, 903}});
  expect_rows({.first_s = 1, .factor = 1.1, .cap_s = 10},
              {{25, 9.849733, 98.347059}, {26, 10, 108.347059}, {30, 10, 148.347059}}, 1e-6);
}

TEST(tuning_series, a_cap_of_the_first_delay_makes_all_delays_equal) {
  expect_rows({.first_s = 3, .factor = 2, .cap_s = 3}, {{1, 3, 3}, {2, 3, 6}, {100, 3, 300}});
}

TEST(tuning_series, a_factor_next_to_1_keeps_its_digits) {
  const auto retry = retry_of({.first_s = 1, .factor = 1.000000001}, 1000000);
  EXPECT_NEAR(retry.elapsed_s, 1000500.16621, 1e-4);
  EXPECT_NEAR(retry.previous_s, 1.00100050, 1e-8);
}

TEST(tuning_series, knows_the_first_retry_at_the_cap) {
  EXPECT_EQ(first_capped_attempt(doubling), std::nullopt);
  EXPECT_THAT(first_capped_attempt(capped), Optional(7u));
  EXPECT_THAT(first_capped_attempt({.first_s = 1, .factor = 2, .cap_s = 64}), Optional(7u));
  EXPECT_THAT(first_capped_attempt({.first_s = 1, .factor = 2, .cap_s = 64.001}), Optional(8u));
  EXPECT_THAT(first_capped_attempt({.first_s = 1, .factor = 2, .cap_s = 1}), Optional(1u));
  EXPECT_THAT(first_capped_attempt({.first_s = 1, .factor = 1, .cap_s = 1}), Optional(1u));
  EXPECT_EQ(first_capped_attempt({.first_s = 1, .factor = 1, .cap_s = 2}), std::nullopt);
}

// -- a point in time ------------------------------------------------------------

TEST(tuning_position, at_every_retry_it_is_that_retry_and_no_neighbour) {
  const std::vector<double> elapsed{1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047};
  for (std::size_t i = 0; i < elapsed.size(); ++i) {
    const auto position = position_at(doubling, elapsed[i]);
    EXPECT_TRUE(position.at_retry);
    EXPECT_EQ(position.before.attempt, i + 1);
    EXPECT_EQ(position.after.attempt, i + 2);
    EXPECT_EQ(position.formula.attempt, static_cast<double>(i + 1));
  }
}

TEST(tuning_position, at_1023_seconds_of_doubling_it_is_10_between_512_and_1024) {
  const auto position = position_at(doubling, 1023);
  EXPECT_EQ(position.before, (RetryPoint{10, 512, 1023}));
  EXPECT_EQ(position.after, (RetryPoint{11, 1024, 2047}));
  EXPECT_THAT(position.formula.previous_s, Optional(512));
  EXPECT_EQ(position.formula.next_s, 1024);
}

TEST(tuning_position, finds_each_retry_whose_time_is_a_decimal_fraction) {
  const DelaySeries tenths{.first_s = 0.1, .factor = 2};
  const std::vector<double> elapsed{0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 12.7, 25.5, 51.1, 102.3, 204.7};
  for (std::size_t i = 0; i < elapsed.size(); ++i) {
    const auto position = position_at(tenths, elapsed[i]);
    EXPECT_TRUE(position.at_retry) << elapsed[i];
    EXPECT_EQ(position.before.attempt, i + 1) << elapsed[i];
  }
}

TEST(tuning_position, finds_each_of_many_retries_by_its_own_time) {
  for (const auto factor : {1.0, 1.0000001, 1.001, 1.1, 1.5, 1.9999, 3.0})
    for (const auto cap : {std::optional<double>{}, std::optional<double>{20.0}})
      for (std::uint64_t n = 0; n <= 200; ++n) {
        const DelaySeries series{.first_s = 0.7, .factor = factor, .cap_s = cap};
        const auto elapsed = retry_of(series, n).elapsed_s;
        if (elapsed > tuning_longest_s)
          break;
        const auto position = position_at(series, elapsed);
        ASSERT_TRUE(position.at_retry) << "factor " << factor << ", attempt " << n;
        ASSERT_EQ(position.before.attempt, n) << "factor " << factor;
      }
}

TEST(tuning_position, just_beside_a_retry_it_is_between_two) {
  const auto early = position_at(doubling, 1022.999999);
  EXPECT_FALSE(early.at_retry);
  EXPECT_EQ(early.before.attempt, 9u);
  EXPECT_EQ(early.after.attempt, 10u);
  const auto late = position_at(doubling, 1023.000001);
  EXPECT_FALSE(late.at_retry);
  EXPECT_EQ(late.before.attempt, 10u);
  EXPECT_EQ(late.after.attempt, 11u);
}

TEST(tuning_position, between_two_retries_it_is_between_the_article_s_rows) {
  const auto position = position_at(by_a_tenth, 1000);
  EXPECT_FALSE(position.at_retry);
  EXPECT_EQ(position.before.attempt, 48u);
  EXPECT_NEAR(position.before.elapsed_s, 960.172338, 1e-6);
  EXPECT_EQ(position.after.attempt, 49u);
  EXPECT_NEAR(position.after.elapsed_s, 1057.189572, 1e-6);
  EXPECT_NEAR(position.formula.attempt, 48.422115, 1e-6);
  EXPECT_NEAR(position.formula.next_s, 101, 1e-9);
  EXPECT_NEAR(position.formula.previous_s.value(), 91.818182, 1e-6);
  EXPECT_NEAR(position_at(doubling, 1000).formula.attempt, 9.967226, 1e-6);
}

TEST(tuning_position, before_the_first_retry_there_is_no_delay_before) {
  const auto position = position_at(doubling, 0.5);
  EXPECT_FALSE(position.at_retry);
  EXPECT_EQ(position.before, (RetryPoint{0, 0, 0}));
  EXPECT_EQ(position.after, (RetryPoint{1, 1, 1}));
  EXPECT_NEAR(position.formula.attempt, 0.584963, 1e-6);
  EXPECT_EQ(position.formula.previous_s, std::nullopt);
  EXPECT_EQ(position.formula.next_s, 1.5);
}

TEST(tuning_position, at_the_start_it_is_the_call_itself) {
  const auto position = position_at(doubling, 0);
  EXPECT_TRUE(position.at_retry);
  EXPECT_EQ(position.before, (RetryPoint{0, 0, 0}));
  EXPECT_EQ(position.formula.attempt, 0);
  EXPECT_EQ(position.formula.previous_s, std::nullopt);
  EXPECT_EQ(position.formula.next_s, 1);
}

TEST(tuning_position, with_equal_delays_the_number_is_a_quotient) {
  const auto at = position_at(equal, 10);
  EXPECT_TRUE(at.at_retry);
  EXPECT_EQ(at.before.attempt, 4u);
  EXPECT_EQ(at.formula.next_s, 2.5);
  const auto between = position_at(equal, 11);
  EXPECT_FALSE(between.at_retry);
  EXPECT_EQ(between.before.attempt, 4u);
  EXPECT_DOUBLE_EQ(between.formula.attempt, 4.4);
  EXPECT_THAT(between.formula.previous_s, Optional(2.5));
}

TEST(tuning_position, behind_the_cap_the_number_goes_on_by_the_cap) {
  const auto at = position_at(capped, 903);
  EXPECT_TRUE(at.at_retry);
  EXPECT_EQ(at.before, (RetryPoint{20, 60, 903}));
  EXPECT_EQ(at.after, (RetryPoint{21, 60, 963}));
  const auto between = position_at(capped, 918);
  EXPECT_EQ(between.before.attempt, 20u);
  EXPECT_DOUBLE_EQ(between.formula.attempt, 20.25);
  EXPECT_THAT(between.formula.previous_s, Optional(60));
  EXPECT_EQ(between.formula.next_s, 60);
}

TEST(tuning_position, at_the_last_delay_below_the_cap_the_next_one_is_the_cap) {
  const auto position = position_at(capped, 63);
  EXPECT_TRUE(position.at_retry);
  EXPECT_EQ(position.before, (RetryPoint{6, 32, 63}));
  EXPECT_EQ(position.after, (RetryPoint{7, 60, 123}));
  EXPECT_EQ(position.formula.next_s, 60);
}

TEST(tuning_position, a_factor_next_to_1_keeps_its_digits) {
  EXPECT_NEAR(position_at({.first_s = 1, .factor = 1.000000001}, 1000).formula.attempt,
              999.999500500, 1e-6);
  EXPECT_NEAR(position_at({.first_s = 1, .factor = 1.0000000001}, 1000000).formula.attempt,
              999950.003383, 1e-3);
}

TEST(tuning_position, holds_at_the_ends_of_the_ranges) {
  const auto slow = position_at({.first_s = 1e-9, .factor = 2}, 9e9);
  EXPECT_EQ(slow.before.attempt, 62u);
  EXPECT_NEAR(slow.formula.attempt, 62.964631, 1e-6);
  const auto fast = position_at({.first_s = 1, .factor = 1000}, 9e9);
  EXPECT_EQ(fast.before.attempt, 4u);
  EXPECT_EQ(fast.after.elapsed_s, 1001001001001);
  const auto many = position_at({.first_s = 1e-5, .factor = 1}, 9e9);
  EXPECT_EQ(many.before.attempt, 900'000'000'000'000u);
}

// -- from a wish to the factor --------------------------------------------------

TEST(tuning_factor, follows_from_the_ratio_of_delay_to_elapsed_time) {
  EXPECT_EQ(factor_for_ratio(0), 1);
  EXPECT_EQ(factor_for_ratio(0.1), 1.1);
  EXPECT_EQ(factor_for_ratio(1), 2);
}

TEST(tuning_factor, follows_from_the_delay_after_a_time) {
  EXPECT_EQ(factor_for_next({.first_s = 1, .elapsed_s = 1023, .delay_s = 1024}), 2);
  EXPECT_DOUBLE_EQ(factor_for_next({.first_s = 1, .elapsed_s = 1000, .delay_s = 100}), 1.099);
  EXPECT_EQ(factor_for_next({.first_s = 1, .elapsed_s = 1000, .delay_s = 1}), 1);
}

TEST(tuning_factor, follows_from_the_delay_before_a_time) {
  EXPECT_EQ(factor_for_previous({.first_s = 1, .elapsed_s = 1023, .delay_s = 512}), 2);
  EXPECT_EQ(factor_for_previous({.first_s = 1, .elapsed_s = 1000, .delay_s = 100}), 1.11);
  EXPECT_EQ(factor_for_previous({.first_s = 1, .elapsed_s = 1000, .delay_s = 1}), 1);
}

TEST(tuning_factor, gives_back_the_delay_that_was_wanted) {
  for (const auto delay : {2.0, 20.0, 100.0, 500.0, 999.0}) {
    const auto next = factor_for_next({.first_s = 2, .elapsed_s = 1000, .delay_s = delay});
    EXPECT_NEAR(position_at({.first_s = 2, .factor = next}, 1000).formula.next_s, delay, 1e-9);
    const auto previous = factor_for_previous({.first_s = 2, .elapsed_s = 1000, .delay_s = delay});
    EXPECT_NEAR(position_at({.first_s = 2, .factor = previous}, 1000).formula.previous_s.value(),
                delay, 1e-9);
  }
}

TEST(tuning_factor, can_be_had_up_to_the_cap_and_no_further) {
  EXPECT_DOUBLE_EQ(factor_for_next({.first_s = 1, .elapsed_s = 1000, .delay_s = 60, .cap_s = 60}),
                   1.059);
  EXPECT_EQ(
    refusal([] { factor_for_next({.first_s = 1, .elapsed_s = 1000, .delay_s = 61, .cap_s = 60}); }),
    "next_s: got 61s, allowed 1s..60s");
  EXPECT_EQ(refusal([] {
              factor_for_previous({.first_s = 1, .elapsed_s = 1000, .delay_s = 61, .cap_s = 60});
            }),
            "previous_s: got 61s, allowed 1s..60s");
}

// -- what is refused ------------------------------------------------------------

TEST(tuning_arguments, all_problems_of_a_series_are_told_at_once) {
  EXPECT_EQ(to_string(check(DelaySeries{.first_s = 0, .factor = 0.5, .cap_s = -1})),
            "first_s: got 0s, allowed 1e-09s..9e+09s\n"
            "cap_s: got -1s, allowed 1e-09s..9e+09s\n"
            "factor: got 0.5, allowed 1..1000");
  EXPECT_TRUE(check(capped).empty());
}

TEST(tuning_arguments, what_is_no_number_is_refused_like_any_other_value) {
  EXPECT_EQ(to_string(check(DelaySeries{.first_s = nan, .factor = infinity})),
            "first_s: got nan, allowed 1e-09s..9e+09s\n"
            "factor: got inf, allowed 1..1000");
  EXPECT_EQ(to_string(check(DelaySeries{.factor = nan})), "factor: got nan, allowed 1..1000");
}

TEST(tuning_arguments, a_cap_below_the_first_delay_is_refused) {
  EXPECT_EQ(to_string(check(DelaySeries{.first_s = 2, .cap_s = 1.5})),
            "cap_s: got 1.5s, allowed at least the first delay, 2s");
}

TEST(tuning_arguments, every_function_names_every_wrong_argument) {
  const DelaySeries wrong{.first_s = 0, .factor = 0};
  EXPECT_EQ(refusal([&] { retry_of(wrong, 2'000'000'000'000'000); }),
            "first_s: got 0s, allowed 1e-09s..9e+09s\n"
            "factor: got 0, allowed 1..1000\n"
            "attempt: got 2000000000000000, allowed 0..1000000000000001");
  EXPECT_EQ(refusal([&] { position_at(wrong, -1); }), "first_s: got 0s, allowed 1e-09s..9e+09s\n"
                                                      "factor: got 0, allowed 1..1000\n"
                                                      "elapsed_s: got -1s, allowed 0s..9e+09s");
  EXPECT_EQ(refusal([] { discovery_of({.factor = 0}, 1e10); }),
            "factor: got 0, allowed 1..1000\n"
            "succeeds_at_s: got 1e+10s, allowed 0s..9e+09s");
  EXPECT_EQ(refusal([] { factor_for_ratio(-0.1); }), "ratio: got -0.1, allowed 0..999");
  EXPECT_EQ(refusal([] { growth_of({.from_factor = 0, .to_factor = 1e9, .elapsed_s = 0.5}); }),
            "from_factor: got 0, allowed 1..1000\n"
            "to_factor: got 1e+09, allowed 1..1000\n"
            "elapsed_s: got 0.5s, allowed at least the first delay, 1s");
  EXPECT_EQ(refusal([] { factor_for_next({.first_s = 0, .elapsed_s = -1, .delay_s = 0}); }),
            "first_s: got 0s, allowed 1e-09s..9e+09s\n"
            "elapsed_s: got -1s, allowed 0s..9e+09s\n"
            "next_s: got 0s, allowed 1e-09s..9e+09s");
}

TEST(tuning_arguments, a_wanted_delay_that_no_factor_gives_is_refused_with_those_that_one_does) {
  EXPECT_EQ(refusal([] { factor_for_next({.elapsed_s = 1000, .delay_s = 0.5}); }),
            "next_s: got 0.5s, allowed 1s..999001s");
  EXPECT_EQ(refusal([] { factor_for_previous({.elapsed_s = 1000, .delay_s = 1000}); }),
            "previous_s: got 1000s, allowed 1s..999.001s");
  EXPECT_EQ(refusal([] { factor_for_previous({.elapsed_s = 1, .delay_s = 1}); }),
            "elapsed_s: got 1s, allowed more than the first delay, 1s");
  EXPECT_EQ(refusal([] { factor_for_next({.elapsed_s = 0.5, .delay_s = 1}); }),
            "elapsed_s: got 0.5s, allowed at least the first delay, 1s");
}

TEST(tuning_arguments, a_time_with_more_retries_before_it_than_can_be_counted_is_refused) {
  EXPECT_EQ(refusal([] { position_at({.first_s = 1e-9, .factor = 1}, 9e9); }),
            "elapsed_s: got 9e+09s, allowed a time within the first 1e+15 retries");
}

} // namespace backoff_actor::tuning_test
