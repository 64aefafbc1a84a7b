#include "backoffctl/simulate/contention.hpp"

#include "given.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoffctl::contention_question_test {

using namespace std::chrono_literals;
using Given = test::Given<ContentionCommand>;
using testing::ElementsAre;

std::vector<std::string> names_of(const ContentionQuestion& question) {
  std::vector<std::string> result;
  for (const auto& contender : question.contenders)
    result.push_back(contender.name);
  return result;
}

TEST(contention_question, is_about_the_published_policies_and_a_hundred_clients_by_default) {
  const Given given{{}};
  const auto& question = given.command.question();
  EXPECT_TRUE(given.problems.empty());
  EXPECT_THAT(question.clients, ElementsAre(100u));
  EXPECT_EQ(question.trials, 100u);
  EXPECT_EQ(question.seed, 0u);
  EXPECT_FALSE(question.plot);
  EXPECT_THAT(names_of(question),
              ElementsAre("none", "exponential", "equal", "full", "decorrelated"));
}

TEST(contention_question, has_delays_of_5_ms_by_2_to_the_n_up_to_2_s) {
  const auto policy = Given{{}}.command.question().contenders.at(1).policy;
  std::vector<backoff_actor::Duration> delays;
  auto progress = policy.start();
  for (auto n = 1; n <= 10; ++n) {
    const auto step = policy.next(progress, 0.5);
    progress = step.progress;
    delays.push_back(step.delay);
  }
  EXPECT_THAT(delays, ElementsAre(10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 640ms, 1280ms, 2s, 2s));
}

TEST(contention_question, says_where_delays_are_cut_off) {
  const Given given{{}};
  const auto& question = given.command.question();
  EXPECT_EQ(question.contenders.at(3).description(), "exponential(10ms, x2, cap 2s) | full_jitter");
  EXPECT_EQ(question.contenders.at(4).description(), "decorrelated(5ms, x3), cut off at 2s");
}

TEST(contention_question, takes_every_flag_at_the_ends_of_its_range) {
  const Given given{{"--clients", "100000", "1", "--trials", "100000", "--policy", "fixed(1s)",
                     "ethernet", "--seed", "18446744073709551615", "--plot", "./contention.png",
                     "--log"}};
  const auto& question = given.command.question();
  EXPECT_TRUE(given.problems.empty()) << to_string(given.problems);
  EXPECT_THAT(question.clients, ElementsAre(100'000u, 1u));
  EXPECT_EQ(question.trials, 100'000u);
  EXPECT_EQ(question.seed, UINT64_MAX);
  EXPECT_EQ(question.plot.value().file, "./contention.png");
  EXPECT_TRUE(question.plot.value().is_logarithmic);
  ASSERT_EQ(question.contenders.size(), 7u);
  EXPECT_EQ(question.contenders[5].name, "fixed(1s)");
  EXPECT_EQ(question.contenders[6].policy, backoff_actor::parse_policy("ethernet"));
}

TEST(contention_question, refuses_too_many_numbers_of_clients) {
  std::vector<std::string> arguments(52, "10");
  arguments.front() = "--clients";
  EXPECT_EQ(to_string(Given{arguments}.problems), "--clients: got 51 of them, allowed 1..50");
}

} // namespace backoffctl::contention_question_test
