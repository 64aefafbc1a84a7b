#include "backoffctl/simulate/contention.hpp"

#include "given.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoffctl::contention_answer_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ContentionQuestion question(const std::vector<std::string>& arguments) {
  const test::Given<ContentionCommand> given{arguments};
  EXPECT_TRUE(given.problems.empty()) << to_string(given.problems);
  return given.command.question();
}

ContentionAnswer answered(const std::vector<std::string>& arguments) {
  return answer(question(arguments), [](std::uint64_t) {});
}

// Fewer clients than two never meet, and 13 days are more than a simulation lasts.
const std::vector<std::string> never{"--clients", "1",        "3",          "--trials",
                                     "2",         "--policy", "fixed(312h)"};

TEST(contention_answer, is_the_mean_of_the_trials) {
  const auto result = answered({"--clients", "10", "--trials", "2", "--seed", "7"});
  const backoff_actor::Contention contention{.clients = 10};
  const auto first = simulate(contention, 7, 0);
  const auto second = simulate(contention, 7, 1);
  const auto& none = result.means.at(0).at(0);
  EXPECT_DOUBLE_EQ(none.calls, static_cast<double>(first.calls + second.calls) / 2);
  EXPECT_NEAR(none.completion_ns.value(),
              static_cast<double>((*first.completion + *second.completion).count()) / 2, 1e-3);
}

TEST(contention_answer, of_a_number_of_clients_is_the_same_whatever_else_is_asked) {
  const auto alone = answered({"--clients", "20", "--trials", "3"});
  const auto together =
    answered({"--clients", "10", "20", "--trials", "3", "--policy", "fixed(1s)"});
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(alone.means[0][i].calls, together.means[1][i].calls);
    EXPECT_EQ(alone.means[0][i].completion_ns, together.means[1][i].completion_ns);
  }
}

TEST(contention_answer, has_no_completion_if_one_trial_has_none) {
  const auto result = answered(never);
  EXPECT_TRUE(result.means[0][5].completion_ns);
  EXPECT_FALSE(result.means[1][5].completion_ns);
  EXPECT_EQ(result.means[1][5].calls, 3);
}

TEST(contention_answer, tells_more_and_more_until_all_the_work_is_done) {
  const auto asked = question({"--clients", "10", "5", "--trials", "3"});
  std::uint64_t last = 0;
  auto told = 0;
  answer(asked, [&](std::uint64_t done) {
    EXPECT_GT(done, last);
    last = done;
    ++told;
  });
  EXPECT_EQ(last, 5u * 3u * (100u + 25u));
  EXPECT_EQ(last, work_of(asked));
  EXPECT_EQ(told, 5 * 3 * 15);
}

TEST(contention_answer, never_tells_of_more_work_than_there_is_where_trials_are_not_completed) {
  auto asked = question(never);
  std::uint64_t last = 0;
  answer(asked, [&](std::uint64_t done) { last = done; });
  EXPECT_LT(last, work_of(asked));
  EXPECT_GT(last, work_of(asked) * 9 / 10);
}

TEST(contention_plot, goes_from_few_clients_to_many) {
  const auto script = contention_plot(answered({"--clients", "3", "1", "2", "--trials", "1"}),
                                      {"contention.svg", false})
                        .script;
  const auto data = script.substr(script.find("$data1 <<"));
  EXPECT_LT(data.find("\n1 1\n"), data.find("\n2 "));
  EXPECT_LT(data.find("\n2 "), data.find("\n3 "));
  EXPECT_THAT(
    script, AllOf(HasSubstr("unset logscale y\nset yrange [0:"), Not(HasSubstr("\nset logscale"))));
}

TEST(contention_plot, interrupts_the_line_where_nothing_is_completed) {
  const auto script = contention_plot(answered(never), {"contention.svg", true}).script;
  EXPECT_THAT(script, HasSubstr("\n3 NaN\n"));
  EXPECT_THAT(script, HasSubstr("\nset logscale y"));
}

TEST(contention_plot, names_each_policy_once_and_as_the_table_does) {
  const auto script =
    contention_plot(answered({"--clients", "2", "--trials", "1", "--policy", "fixed(1s)"}),
                    {"contention.png", false})
      .script;
  EXPECT_THAT(script, HasSubstr("title 'none: fixed(0ns)'"));
  EXPECT_THAT(script, HasSubstr("title 'decorrelated: decorrelated(5ms, x3), cut off at 2s'"));
  EXPECT_THAT(script, HasSubstr("title '[1] fixed(1s)'"));
  EXPECT_EQ(script.find("title '[1] fixed(1s)'"), script.rfind("title '[1] fixed(1s)'"));
}

} // namespace backoffctl::contention_answer_test
