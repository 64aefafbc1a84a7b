#include "backoff_actor/lab/plan.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace backoff_actor {

namespace {

struct Row {
  const char* policy;
  std::uint32_t attempt;
  double min_s;
  double mean_s;
  double max_s;
  double variance;
};

TEST(Plans, are_the_closed_forms) {
  const std::vector<Row> rows{
    {"fixed(1s)", 5, 1, 1, 1, 0},
    {"linear(1s, +1s, cap 10s)", 4, 4, 4, 4, 0},
    {"linear(1s, +1s, cap 10s)", 12, 10, 10, 10, 0},
    {"exponential(1s, x2)", 11, 1024, 1024, 1024, 0},
    {"exponential(1s, x2) | full_jitter", 3, 0, 2, 4, 16.0 / 12},
    {"exponential(1s, x2) | equal_jitter", 3, 2, 3, 4, 16.0 / 48},
    {"exponential(1s, x2) | proportional_jitter(25%)", 3, 3, 4, 5, 1.0 / 3},
    {"exponential(1s, x2) | additive_jitter(1s)", 3, 4, 4.5, 5, 1.0 / 12},
    {"exponential(1s, x2) | gaussian_jitter(10%)", 3, 2.8, 4, 5.2, 0.16 * 0.9733369},
    // held below the cap by as much as the jitter may add
    {"exponential(1s, x2, cap 5s) | proportional_jitter(25%)", 9, 3, 4, 5, 1.0 / 3},
    {"exponential(1s, x2, cap 5s) | additive_jitter(1s)", 9, 4, 4.5, 5, 1.0 / 12},
    {"steps(20s, 5min, 30min)", 2, 300, 300, 300, 0},
    {"steps(20s, 5min, 30min) | full_jitter", 7, 0, 900, 1800, 270000},
    {"polynomial(15s, +1s, ^4)", 25, 331791, 331791, 331791, 0},
    {"exponential(1s, x2, exponent 3)", 9, 8, 8, 8, 0},
    {"exponential(1s, x2) | additive_jitter(30%)", 3, 4, 4.6, 5.2, 0.12},
    {"exponential(1s, x2, cap 5s) | proportional_jitter(20%, cap_first)", 9, 4, 5, 6, 1.0 / 3},
    // uniform over 0 to 8 s, cut off at 4 s
    {"exponential(1s, x2, cap 4s) | full_jitter(cap_last)", 4, 0, 3, 4, 5.0 / 3},
    {"exponential(1s, x2, cap 4s) | additive_jitter(1s, cap_last)", 9, 4, 4, 4, 0},
    {"linear(1s, +1s) | additive_jitter(9s, per_retry, cap_last)", 3, 3, 16.5, 30, 729.0 / 12},
    {"exponential(1s, x2) | full_jitter | whole_seconds", 3, 0, 2, 4, 2},
    // 96 s to 132 s in steps of 4 s
    {"polynomial(15s, +1s, ^4) | additive_jitter(9s, per_retry, cap_last) | whole_seconds", 4, 96,
     114, 132, 132},
    {"exponential(1s, x2) | full_jitter | first_wait(1s, times 2)", 2, 1, 1, 1, 0},
    {"exponential(1s, x2) | full_jitter | first_wait(1s, times 2)", 4, 0, 1, 2, 4.0 / 12},
    {"exponential(1s, x2) | proportional_jitter(20%, carried)", 3, 2.048, 4, 6.912,
     16 * (1.01333333 * 1.01333333 * 1.01333333 - 1)},
    {"memorystore(max 64s)", 1, 1, 1.5, 2, 1.0 / 12},
    {"memorystore(max 64s)", 6, 32, 32.5, 33, 1.0 / 12},
    {"memorystore(max 64s)", 7, 64, 64, 64, 0},
    {"memorystore(max 4500ms)", 3, 4, 4.375, 4.5, 5.0 / 192},
    {"random_slots(1s, ceiling 10)", 4, 0, 5.2, 15, 29.76},
    {"random_slots(1s, ceiling 10)", 10, 0, 0, 0, 0},
    {"random_slots(1s, ceiling 10)", 11, 0, 0.5, 1, 0.25},
    {"random_slots(1s, ceiling 10, stay)", 10, 0, 185.0909091, 1023, 92470.26446},
    {"ethernet(1s)", 3, 0, 3.5, 7, 5.25},
    {"ethernet(1s)", 12, 0, 511.5, 1023, 87381.25},
    {"decorrelated(1s, x3)", 1, 1, 2, 3, 1.0 / 3},
    {"decorrelated(1s, x3)", 5, 1, 14.1875, 243, 274.9231770833},
    {"decorrelated(1s, x1, cap 2s)", 5, 1, 1, 1, 0},
    {"seed002(100ms, x2.7, cap 10min, jitter 10%)", 1, 0.1, 0.1, 0.1, 0},
    {"seed002(1s, x2, cap 1s, jitter 10%)", 5, 0.7, 1, 1.3, 0.01},
    {"seed002(100ms, x1.5, cap 300s, jitter 0%)", 15, 29.192926, 29.192926, 29.192926, 0},
    {"seed002(100ms, x1.5, cap 300s, jitter 0%)", 30, 300, 300, 300, 0}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    const auto given = plan(parse_policy(row.policy), row.attempt).back();

    EXPECT_EQ(given.attempt, row.attempt);
    EXPECT_NEAR(given.min_s, row.min_s, 1e-6 * row.min_s);
    EXPECT_NEAR(given.mean_s, row.mean_s, 1e-6 * row.mean_s);
    EXPECT_NEAR(given.max_s, row.max_s, 1e-6 * row.max_s);
    EXPECT_NEAR(given.stddev_s * given.stddev_s, row.variance, 1e-5 * row.variance + 1e-15);
  }
}

TEST(plan, of_seed002_has_the_closed_form_while_the_cap_is_out_of_reach) {
  struct Variance {
    const char* policy;
    std::uint32_t attempt;
    double mean_s;
    double variance; // F^2(n-1) min^2 ((1 + J^2)^(n-1) - 1)
  };
  for (const auto& row :
       {Variance{"seed002(1s, x2, cap 1000s, jitter 1%)", 2, 2, 0.0004},
        Variance{"seed002(1s, x2, cap 1000s, jitter 1%)", 4, 8, 64 * 0.000300030001},
        Variance{"seed002(1s, x2, cap 1000s, jitter 0.1%)", 2, 2, 0.000004},
        Variance{"seed002(1s, x2, cap 1000s, jitter 10%)", 3, 4, 16 * 0.0201}}) {
    const auto given = plan(parse_policy(row.policy), row.attempt).back();
    EXPECT_NEAR(given.mean_s, row.mean_s, 1e-9) << row.policy;
    EXPECT_NEAR(given.stddev_s * given.stddev_s, row.variance, 1e-6 * row.variance) << row.policy;
  }
}

TEST(plan, sums_the_delays) {
  const auto ethernet = plan(parse_policy("ethernet(1s)"), 15).back();
  EXPECT_EQ(ethernet.cumulative_min_s, 0);
  EXPECT_NEAR(ethernet.cumulative_mean_s, 3575.5, 1e-9);
  EXPECT_NEAR(ethernet.cumulative_max_s, 7151, 1e-9);

  const auto article = plan(parse_policy("random_slots(1s, ceiling 10)"), 9).back();
  EXPECT_NEAR(article.cumulative_mean_s, 224.379, 1e-3);
  EXPECT_NEAR(article.cumulative_max_s, 1013, 1e-9);

  EXPECT_NEAR(plan(parse_policy("exponential(1s, x2)"), 10).back().cumulative_mean_s, 1023, 1e-9);
  EXPECT_TRUE(plan(parse_policy("fixed(1s)"), 0).empty());
}

struct Curve {
  const char* policy;
  std::vector<double> means; // s
};

// The delays vary, and the cap cuts off those above it only: around it the mean is below that of
// the formula without jitter, 600 s at the tenth retry of the first curve.
TEST(CurvesOfSeed002, have_the_means_of_the_article) {
  const std::vector<Curve> rows{
    {"seed002(100ms, x2.7, cap 10min, jitter 10%)",
     {.1, .27, .729, 1.9683, 5.3144, 14.3489, 38.742, 104.6035, 282.4295, 577.906}},
    {"seed002(1s, x1.5, cap 5min, jitter 10%)",
     {1, 1.5, 2.25, 3.375, 5.0625, 7.5938, 11.3906, 17.0859, 25.6289, 38.4434, 57.665, 86.4976,
      129.7463, 190.62, 253.337, 288.442}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    const auto given = plan(parse_policy(row.policy), static_cast<std::uint32_t>(row.means.size()));
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_NEAR(given[i].mean_s, row.means[i], 1e-3 * row.means[i]) << i + 1;
  }
}

// Where there is no closed form, the plan integrates; here it is beside a hundred thousand draws.
class IntegratedPlans : public ::testing::TestWithParam<const char*> {};

TEST_P(IntegratedPlans, agree_with_draws) {
  constexpr std::uint64_t count = 100'000;
  constexpr std::uint32_t attempts = 20;
  const auto policy = parse_policy(GetParam());
  const auto rows = plan(policy, attempts);
  std::vector<double> sums(attempts);
  std::vector<double> squares(attempts);
  for (std::uint64_t stream = 0; stream < count; ++stream) {
    const Draws draws{31337, stream};
    auto progress = policy.start();
    for (std::size_t i = 0; i < attempts; ++i) {
      const auto step = policy.next(progress, draws(progress.draws));
      progress = step.progress;
      const auto x = static_cast<double>(step.delay.count()) * 1e-9;
      sums[i] += x;
      squares[i] += x * x;
    }
  }
  for (std::size_t i = 0; i < attempts; ++i) {
    const auto mean = sums[i] / static_cast<double>(count);
    const auto deviation =
      std::sqrt(std::max(squares[i] / static_cast<double>(count) - mean * mean, 0.0));
    const auto standard_error = deviation / std::sqrt(static_cast<double>(count));
    EXPECT_NEAR(rows[i].mean_s, mean, 5 * standard_error + 1e-3 * mean) << "retry " << i + 1;
    // a hundred thousand draws may miss what comes once in a million
    EXPECT_NEAR(rows[i].stddev_s, deviation, 0.02 * deviation + 1.5e-4 * mean) << "retry " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(policies, IntegratedPlans,
                         ::testing::Values("decorrelated(1s, x3, cap 400s)",
                                           "decorrelated(1s, x3, cap 1500ms)",
                                           "decorrelated(1s, x1.5, cap 10s)",
                                           "seed002(100ms, x2.7, cap 10min, jitter 10%)",
                                           "seed002(1s, x1.05, cap 3s, jitter 12%)",
                                           "seed002(1s, x1, cap 1s, jitter 5%)",
                                           "exponential(1600ms, x1.6, cap 2min) | "
                                           "proportional_jitter(20%, carried, cap_first) | "
                                           "first_wait(1s)",
                                           "exponential(300ms, x2, cap 30s) | "
                                           "proportional_jitter(20%, carried, cap_last)",
                                           "exponential(1s, x1.5, cap 20s) | "
                                           "gaussian_jitter(10%, carried)",
                                           "exponential(1s, x1, cap 5s) | "
                                           "additive_jitter(1s, carried)",
                                           "exponential(1s, x1.3, cap 60s) | "
                                           "additive_jitter(100%, carried) | whole_seconds"));

// Policies with closed forms whose jitter is cut off or drawn in whole seconds.
INSTANTIATE_TEST_SUITE_P(composed, IntegratedPlans,
                         ::testing::Values("linear(1s, +2s, cap 20s) | full_jitter(cap_last)",
                                           "exponential(1s, x1.5, cap 20s) | "
                                           "gaussian_jitter(20%, cap_last)",
                                           "polynomial(1s, +500ms, ^2, cap 30s) | "
                                           "additive_jitter(9s, per_retry, cap_last) | "
                                           "whole_seconds",
                                           "linear(500ms, +700ms, cap 9500ms) | "
                                           "proportional_jitter(30%, cap_first) | whole_seconds"));

struct RateOfCalls {
  const char* policy;
  double first_hour;
  double long_run;
};

TEST(CallRates, count_the_calls_of_a_dead_service) {
  const std::vector<RateOfCalls> rows{
    {"fixed(1s)", 3601, 3600},
    {"fixed(1ms)", 3.6e6, 3.6e6},
    {"exponential(1s, x2)", 12, 1.1415525e-6}, // 2047 s after eleven retries; 100 years
    {"exponential(1s, x2, cap 1min)", 65, 60},
    {"exponential(1s, x2, cap 1min) | full_jitter", 126, 120},
    {"memorystore(max 64s)", 62, 56.25},
    // still growing after thousands of retries: 50 us n^2 = 3600 s
    {"linear(1ms, +100us, cap 1min)", 8475, 60},
    {"exponential(1ms, x1.0001, cap 1h)", 58892, 1},
    // ten calls in 2.24379 s
    {"random_slots(10ms, ceiling 10)", 16044, 16044.28},
    {"random_slots(10ms, ceiling 10, stay)", 1953, 1944.99},
    {"seed002(100ms, x2, cap 15min, jitter 10%)", 17, 4},
    {"steps(1s, 5s, 1min)", 62, 60},
    {"exponential(1s, x2, cap 1min) | first_wait(0s, times 32)", 97, 60},
    // 0 s before the first 70 retries, and growing
    {"linear(10ms, +10ms, cap 1min) | whole_seconds", 900, 60},
    {"exponential(300ms, x2, cap 30s) | "
     "proportional_jitter(20%, carried, cap_last)",
     127, 120}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    const auto given = calls_per_hour(parse_policy(row.policy));

    EXPECT_NEAR(given.first_hour, row.first_hour, 0.01 * row.first_hour);
    EXPECT_NEAR(given.long_run, row.long_run, 0.001 * row.long_run);
  }
}

TEST(calls_per_hour, are_without_end_if_there_is_no_delay) {
  const auto infinite = std::numeric_limits<double>::infinity();
  for (const auto* text : {"fixed(0s)", "random_slots(10ms, ceiling 1)"}) {
    EXPECT_EQ(calls_per_hour(parse_policy(text)).first_hour, infinite) << text;
    EXPECT_EQ(calls_per_hour(parse_policy(text)).long_run, infinite) << text;
  }
}

// -- after an outage --------------------------------------------------------------------------

struct Ended {
  const char* policy;
  Duration outage;
  double mean_s;
  double max_s;
  double calls_per_s;
};

TEST(after_outage, is_half_of_a_fixed_delay_a_third_of_the_longest_with_full_jitter) {
  using namespace std::chrono_literals;
  for (const auto& x : {Ended{"fixed(5s)", 1h, 2.5, 5, 0.2},
                        Ended{"exponential(1s, x2, cap 15s) | full_jitter", 1h, 5, 15, 1 / 7.5},
                        Ended{"exponential(1s, x2, cap 15s) | equal_jitter", 1h,
                              (11.25 * 11.25 + 4.6875) / 22.5, 15, 1 / 11.25},
                        Ended{"exponential(1s, x2)", 0s, 0.5, 1, 1},     // the first delay runs
                        Ended{"exponential(1s, x2)", 1s, 0.5, 1, 1},     // it ends just then
                        Ended{"exponential(1s, x2)", 1001ms, 1, 2, 0.5}, // the second runs
                        Ended{"exponential(1s, x2)", 1h, 1024, 2048, 1 / 2048.0}}) {
    const auto given = after_outage(parse_policy(x.policy), x.outage);
    EXPECT_NEAR(given.next_call_mean_s, x.mean_s, 1e-9 * x.mean_s) << x.policy;
    EXPECT_NEAR(given.next_call_max_s, x.max_s, 1e-9 * x.max_s) << x.policy;
    EXPECT_NEAR(given.calls_per_s, x.calls_per_s, 1e-9 * x.calls_per_s) << x.policy;
  }
}

TEST(after_outage, is_at_once_without_a_delay) {
  const auto given = after_outage(Fixed{Duration{0}}, std::chrono::hours{1});
  EXPECT_EQ(given.next_call_mean_s, 0);
  EXPECT_EQ(given.calls_per_s, std::numeric_limits<double>::infinity());
}

// Of a thousand clients that fail again and again, by their draws: how long they wait then.
TEST(after_outage, is_what_clients_do_that_draw_their_delays) {
  using namespace std::chrono_literals;
  const auto policy = parse_policy("exponential(100ms, x2, cap 30s) | full_jitter");
  double sum_s = 0;
  for (std::uint64_t stream = 0; stream < 1000; ++stream) {
    auto progress = policy.start();
    Duration now{0};
    while (now < 10min) {
      const auto step = policy.next(progress, unit_random(1, stream, progress.draws));
      progress = step.progress;
      now += step.delay;
    }
    sum_s += std::chrono::duration<double>{now - 10min}.count();
  }
  EXPECT_NEAR(after_outage(policy, 10min).next_call_mean_s, sum_s / 1000, 0.7); // 3 deviations
}

} // namespace

} // namespace backoff_actor
