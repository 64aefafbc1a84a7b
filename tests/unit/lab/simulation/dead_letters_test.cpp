// The table at the top of docs/explanation/whose_fault.md, and what it stands on.

#include "backoff_actor/lab/simulation/internal/dead_letters.hpp"

#include "backoff_actor/guard/parse_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::dead_letters_test {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;

// No guard, the default breaker, one whose open time doubles, and a service that asks for 30 s.
std::vector<DeadLettersOptions> four_guards(std::uint32_t workers, const Charging& charging) {
  std::vector<DeadLettersOptions> result(4);
  for (auto& options : result) {
    options.workers = workers;
    options.charging = charging;
  }
  result[1].guard = parse_guard("circuit_breaker");
  result[2].guard = parse_guard("circuit_breaker(5 failures, open exponential(5s, x2, cap 5min))");
  result[3].guard = result[1].guard;
  result[3].retry_after = 30s;
  return result;
}

std::vector<std::uint32_t> dead(std::uint32_t workers, const Charging& charging) {
  std::vector<std::uint32_t> result;
  for (const auto& options : four_guards(workers, charging)) {
    const auto outcome = simulate_dead_letters(options);
    EXPECT_EQ(outcome.done + outcome.healthy_dead, 500u);
    result.push_back(outcome.healthy_dead);
  }
  return result;
}

TEST(simulate_dead_letters, has_the_table_of_an_hour_by_the_old_counting) {
  EXPECT_THAT(dead(1, Charging::every_failure()), ElementsAre(29, 28, 2, 15));
  EXPECT_THAT(dead(8, Charging::every_failure()), ElementsAre(243, 89, 2, 15));
}

TEST(simulate_dead_letters, has_none_in_the_table_of_an_hour_by_evidence) {
  EXPECT_THAT(dead(1, {}), Each(0u));
  EXPECT_THAT(dead(8, {}), Each(0u));
}

// Each call and each delay takes its place in the hour: the mean delay is 15 s.
TEST(simulate_dead_letters, counts_the_calls_of_a_worker_while_the_service_is_down) {
  DeadLettersOptions options;

  EXPECT_NEAR(static_cast<double>(simulate_dead_letters(options).calls_while_down), 3600 / 15.1 + 8,
              3 * 9.0); // three standard deviations of that many delays
}

TEST(simulate_dead_letters, has_exact_times_without_chance) {
  DeadLettersOptions options;
  options.policy = Fixed{1s};
  options.messages = 10;
  options.down_for = 10s;

  const auto outcome = simulate_dead_letters(options);

  // A call each 1.1 s; the tenth begins at 9.9 s and is well when it ends at 10 s, when the service
  // is back.
  EXPECT_EQ(outcome.calls_while_down, 10u);
  EXPECT_EQ(outcome.done, 10u);
  EXPECT_EQ(outcome.last_done, 900ms);
}

TEST(simulate_dead_letters, tells_poison_from_healthy_messages) {
  DeadLettersOptions options;
  options.workers = 8;
  options.poison = 3;
  options.down_for = 10min;

  const auto outcome = simulate_dead_letters(options);

  EXPECT_EQ(outcome.poison_dead, 3u);
  EXPECT_EQ(outcome.healthy_dead, 0u);
  EXPECT_EQ(outcome.done, 497u);
}

TEST(simulate_dead_letters, has_all_poison_dead_if_all_are_poison) {
  DeadLettersOptions options;
  options.messages = 3;
  options.poison = 3;
  options.charging = Charging::every_failure();
  options.down_for = 0s;

  const auto outcome = simulate_dead_letters(options);

  EXPECT_EQ(outcome.poison_dead, 3u);
  EXPECT_EQ(outcome.last_done, std::nullopt);
}

TEST(simulate_dead_letters, gives_up_what_fails_for_longer_than_the_bound) {
  DeadLettersOptions options;
  options.charging.give_up_after = 1h;
  options.down_for = 24h;

  const auto outcome = simulate_dead_letters(options);

  EXPECT_GE(outcome.healthy_dead, 20u); // in strict order one after the other, an hour each
  EXPECT_LE(outcome.healthy_dead, 24u);
}

TEST(simulate_dead_letters, ends_with_the_watch_and_says_what_is_still_owed) {
  DeadLettersOptions options;
  options.down_for = 1min;
  options.every = 1s;
  options.watch = 40s;

  const auto outcome = simulate_dead_letters(options);

  EXPECT_EQ(outcome.done + outcome.left, 500u);
  EXPECT_GT(outcome.left, 300u);
}

TEST(simulate_dead_letters, without_a_limit_has_none) {
  DeadLettersOptions options;
  options.max_attempts.reset();
  options.charging = Charging::every_failure();

  EXPECT_EQ(simulate_dead_letters(options).done, 500u);
}

TEST(simulate_dead_letters, gives_the_same_result_again_and_another_with_another_seed) {
  DeadLettersOptions options;
  options.workers = 8;
  const auto first = simulate_dead_letters(options);

  EXPECT_EQ(simulate_dead_letters(options), first);
  options.seed = 1;
  EXPECT_NE(simulate_dead_letters(options), first);
}

TEST(simulate_dead_letters, refuses_all_that_is_wrong_at_once) {
  DeadLettersOptions options;
  options.messages = 0;
  options.poison = 1;
  options.every = -1s;
  options.takes = 1ms;
  options.down_for = 721h;
  options.watch = 0s;
  options.retry_after = 25h;
  options.workers = 65;
  options.max_attempts = 0;
  options.charging.give_up_after = 0s;

  EXPECT_EQ(to_string(check(options)), "messages: got 0, allowed 1..100000\n"
                                       "poison: got 1, allowed 0..0 (the messages)\n"
                                       "every: got -1s, allowed 0ns..24h\n"
                                       "takes: got 1ms, allowed 10ms..24h\n"
                                       "down_for: got 721h, allowed 0ns..720h\n"
                                       "watch: got 0ns, allowed 1s..720h\n"
                                       "retry_after: got 25h, allowed 0ns..24h\n"
                                       "workers: got 65, allowed 1..64\n"
                                       "max_attempts: got 0, allowed 1..1000000000\n"
                                       "charging.give_up_after: got 0ns, allowed 1us or more");
  EXPECT_THROW(simulate_dead_letters(options), InvalidArgument);
}

} // namespace backoff_actor::dead_letters_test
