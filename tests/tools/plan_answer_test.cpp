#include "backoffctl/plan/plan.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoffctl::plan_answer_test {

using backoff_actor::parse_policy;

PlannedPolicy only(const std::string& policy, PlanQuestion question) {
  question.policies = {parse_policy(policy)};
  return answer(question).policies.at(0);
}

void expect_means(const PlannedPolicy& planned, const std::vector<double>& means_s,
                  double tolerance) {
  ASSERT_LE(means_s.size(), planned.rows.size());
  for (std::size_t i = 0; i < means_s.size(); ++i)
    EXPECT_NEAR(planned.rows[i].mean_s, means_s[i], tolerance * means_s[i]) << "retry " << i + 1;
}

// The article's figures are of these parameters.
const std::vector<double> blue_s{.1,      .27,    .729,     1.9683,   5.3144,
                                 14.3489, 38.742, 104.6035, 282.4295, 600};
const std::vector<double> green_s{1,        1.5,      2.25,     3.375,   5.0625, 7.5938,
                                  11.3906,  17.0859,  25.6289,  38.4434, 57.665, 86.4976,
                                  129.7463, 194.6195, 291.9293, 300};

TEST(plan_answer, has_the_articles_curves_without_their_noise) {
  expect_means(only("seed002(100ms, x2.7, cap 10min, jitter 0%)", {.attempts = 16}), blue_s, 1e-4);
  expect_means(only("seed002(1s, x1.5, cap 5min, jitter 0%)", {.attempts = 16}), green_s, 1e-4);
}

TEST(plan_answer, has_the_articles_curves_in_the_mean_until_noise_reaches_the_cap) {
  expect_means(only("seed002(100ms, x2.7, cap 10min, jitter 10%)", {.attempts = 16}),
               {blue_s.begin(), blue_s.begin() + 9}, 1e-3);
  expect_means(only("seed002(1s, x1.5, cap 5min, jitter 10%)", {.attempts = 16}),
               {green_s.begin(), green_s.begin() + 13}, 1e-3);
}

// What the cap takes from the delays above the mean, those below do not give back. The numbers are
// of a simulation of 100,000 clients.
TEST(plan_answer, has_shorter_means_where_noise_meets_the_cap) {
  const auto blue = only("seed002(100ms, x2.7, cap 10min, jitter 10%)", {.attempts = 12});
  EXPECT_NEAR(blue.rows[9].mean_s, 578.2, 1);
  EXPECT_NEAR(blue.rows[11].mean_s, 600, 0.6);
  const auto green = only("seed002(1s, x1.5, cap 5min, jitter 10%)", {.attempts = 16});
  EXPECT_NEAR(green.rows[13].mean_s, 190.7, 1);
  EXPECT_NEAR(green.rows[15].mean_s, 288.5, 1);
}

TEST(plan_answer, never_gives_up_unless_told_to_or_by_the_policys_source) {
  EXPECT_FALSE(only("fixed(1s)", {}).give_up);
  EXPECT_EQ(only("memorystore", {}).give_up.value().max_retries, 10u);
  EXPECT_EQ(only("ethernet", {}).give_up.value().max_retries, 15u);
  EXPECT_EQ(only("ethernet", {.max_retries = 3}).give_up.value().max_retries, 3u);
}

TEST(plan_answer, adds_up_the_delays_until_it_gives_up_beyond_the_rows_shown) {
  const auto planned = only("exponential(1s, x2) | full_jitter", {.attempts = 2, .max_retries = 5});
  EXPECT_EQ(planned.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(planned.give_up.value().min_s, 0);
  EXPECT_DOUBLE_EQ(planned.give_up.value().mean_s, 15.5);
  EXPECT_DOUBLE_EQ(planned.give_up.value().max_s, 31);
}

TEST(plan_answer, gives_up_at_once_without_retries) {
  const auto planned = only("fixed(5s)", {.max_retries = 0});
  EXPECT_EQ(planned.give_up.value().max_retries, 0u);
  EXPECT_EQ(planned.give_up.value().max_s, 0);
  EXPECT_EQ(planned.rows.size(), 10u);
}

TEST(plan_answer, keeps_the_order_of_the_policies) {
  const auto result = answer({.policies = {parse_policy("fixed(2s)"), parse_policy("fixed(1s)")}});
  EXPECT_EQ(result.policies.at(0).rows.at(0).mean_s, 2);
  EXPECT_EQ(result.policies.at(1).rows.at(0).mean_s, 1);
}

} // namespace backoffctl::plan_answer_test
