#include "backoffctl/plan/plan.hpp"

#include "given.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace backoffctl::plan_question_test {

using Given = test::Given<PlanCommand>;
using testing::ElementsAre;

TEST(plan_question, has_ten_retries_and_nothing_else_by_default) {
  const Given given{{"fixed(1s)"}};
  const auto& question = given.command.question();
  EXPECT_TRUE(given.problems.empty());
  ASSERT_EQ(question.policies.size(), 1u);
  EXPECT_EQ(question.policies[0], backoff_actor::parse_policy("fixed(1s)"));
  EXPECT_EQ(question.attempts, 10u);
  EXPECT_FALSE(question.max_retries);
  EXPECT_FALSE(question.clients);
  EXPECT_FALSE(question.plot);
}

TEST(plan_question, takes_every_flag_at_the_ends_of_its_range) {
  const Given given{{"fixed(1s)", "ethernet", "--attempts", "1000", "--max-retries", "0",
                     "--clients", "1000000000", "--plot", "./delays.png", "--log"}};
  const auto& question = given.command.question();
  EXPECT_TRUE(given.problems.empty()) << to_string(given.problems);
  EXPECT_EQ(question.policies.size(), 2u);
  EXPECT_EQ(question.attempts, 1000u);
  EXPECT_EQ(question.max_retries, 0u);
  EXPECT_EQ(question.clients, 1'000'000'000u);
  EXPECT_EQ(question.plot.value().file, "./delays.png");
  EXPECT_TRUE(question.plot.value().is_logarithmic);
}

TEST(plan_question, shows_where_in_which_policy_something_is_wrong) {
  const Given given{{"fixed(1s)", "fixed(1)"}};
  ASSERT_EQ(given.problems.list().size(), 1u);
  const auto& problem = given.problems.list()[0];
  EXPECT_EQ(problem.field, "POLICY 2");
  EXPECT_EQ(problem.given, "column 7: expected a span such as 100ms, 1.5s or 2min; "
                           "found '1'; add a unit: 1ms or 1s\n      fixed(1)\n            ^");
  EXPECT_EQ(problem.allowed, "");
}

TEST(plan_question, notes_all_that_is_wrong) {
  const Given given{{"", "x", "--attempts", "0", "--max-retries", "-1", "--plot", "delays.pdf"}};
  EXPECT_THAT(given.fields(),
              ElementsAre("POLICY 1", "POLICY 2", "--attempts", "--max-retries", "--plot"));
}

} // namespace backoffctl::plan_question_test
