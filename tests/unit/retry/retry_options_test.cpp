#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/retry/retry.hpp"

#include "backoff_actor/testing/time/virtual_clock.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::retry_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// The delays of six retries that differ by chance.
std::vector<Duration> random_delays(const RetryOptions& options) {
  testing::VirtualClock clock;
  const Policy policy = Exponential{.first = 1s} | full_jitter;
  (void)retry(
    policy, {.max_attempts = 7}, [](const int&) { return true; }, [] { return 503; }, clock,
    options);
  return clock.sleeps;
}

TEST(retry_options, with_a_seed_give_the_same_delays_again) {
  EXPECT_EQ(random_delays({.seed = 7}), random_delays({.seed = 7}));
  EXPECT_EQ(random_delays({.seed = 7}), random_delays({.seed = 7, .stream = 0}));
  EXPECT_NE(random_delays({.seed = 7}), random_delays({.seed = 8}));
  EXPECT_NE(random_delays({.seed = 7, .stream = 1}), random_delays({.seed = 7, .stream = 2}));
}

TEST(retry_options, without_a_seed_give_other_delays_to_each_call) {
  std::set<std::vector<Duration>> delays;
  for (int call = 0; call < 20; ++call)
    delays.insert(random_delays({}));
  EXPECT_EQ(delays.size(), 20u);
}

TEST(retry_options, may_set_the_stream_alone) {
  EXPECT_EQ(random_delays({.stream = 5}), random_delays({.stream = 5}));
  EXPECT_NE(random_delays({.stream = 5}), random_delays({.stream = 6}));
}

TEST(retry_options, have_default_streams_that_no_actors_id_is) {
  EXPECT_GE(next_stream_of_this_process(), std::uint64_t{1} << 63);
  EXPECT_NE(next_stream_of_this_process(), next_stream_of_this_process());
  EXPECT_EQ(seed_of_this_process(), seed_of_this_process());
}

// -- the observer ------------------------------------------------------------------------

// Fails with an exception, then with a value, then with a wish.
class three_failures : public ::testing::Test {
protected:
  auto run(const RetryOptions& options) {
    return retry(
      Policy{Exponential{.first = 1s}}, {.max_attempts = 4},
      [](const int& status) {
        return status == 200 ? success : status == 429 ? retryable_after(1min) : retryable;
      },
      [&](const Attempt& attempt) {
        if (attempt.number == 1)
          throw std::runtime_error("connection refused");
        return attempt.number == 2 ? 503 : attempt.number == 3 ? 429 : 200;
      },
      clock, options);
  }

  testing::VirtualClock clock;
};

TEST_F(three_failures, are_told_to_the_observer_in_words) {
  std::vector<std::string> lines;
  (void)run({.on_retry = [&](const RetryNotice& notice) { lines.push_back(to_string(notice)); }});

  EXPECT_THAT(lines, ElementsAre("attempt 1 failed: connection refused; next in 1s",
                                 "attempt 2 was refused; next in 2s",
                                 "attempt 3 was refused; next in 1min"));
}

TEST_F(three_failures, are_told_to_the_observer_with_all_that_is_known) {
  std::vector<Duration> told_at;
  const auto began = clock.now();
  (void)run({.seed = 4, .on_retry = [&](const RetryNotice& notice) {
               told_at.push_back(clock.now() - began);
               const auto number = notice.attempt.number;
               EXPECT_EQ(told_at.size(), number);
               EXPECT_EQ(notice.error != nullptr, number == 1);
               EXPECT_EQ(notice.value.get_if<int>() != nullptr, number != 1);
               EXPECT_EQ(notice.value.get_if<long>(), nullptr);
               if (number == 3) {
                 EXPECT_EQ(*notice.value.get_if<int>(), 429);
               }
               EXPECT_EQ(notice.assessment.retry_after.has_value(), number == 3);
               EXPECT_EQ(notice.backoff.total_retries(), number);
               EXPECT_EQ(notice.backoff.seed(), 4u);
             }});
  EXPECT_THAT(told_at, ElementsAre(0s, 1s, 3s));
}

TEST_F(three_failures, end_the_call_if_the_observer_throws) {
  EXPECT_THROW(
    (void)run({.on_retry = [](const RetryNotice&) { throw std::logic_error("disk full"); }}),
    std::logic_error);
}

TEST(retry_observer, is_not_told_of_the_failure_that_is_the_last) {
  testing::VirtualClock clock;
  int told = 0;
  const RetryOptions options{.on_retry = [&](const RetryNotice&) { ++told; }};
  for (const Limits& limits : {Limits{.max_attempts = 1}, Limits{.max_elapsed = 1s}})
    (void)retry(
      Policy{Fixed{.delay = 1s}}, limits, [](const int&) { return true; }, [] { return 503; },
      clock, options);
  EXPECT_EQ(told, 0);
}

TEST(retry_outcome_text, rounds_the_time_down_to_what_can_be_read_at_a_glance) {
  const struct {
    Duration elapsed;
    const char* expected;
  } rows[] = {
    {0s, "0ns"},
    {999ns, "999ns"},
    {999'999ns, "999.999us"},
    {1'234'567ns, "1.234ms"},
    {7s + 3'999'999ns, "7.003s"},
    {2min, "2min"},
    {61s + 1ns, "61s"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(to_string(RetryOutcome{.attempts = 2, .elapsed = row.elapsed}),
              std::string{"succeeded after 2 attempts in "} + row.expected);
}

} // namespace backoff_actor::retry_test
