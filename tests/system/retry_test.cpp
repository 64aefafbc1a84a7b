// `retry` in real time. Each test would take an hour if it waited for anything but what it is
// about.

#include "backoff_actor/retry/retry.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stop_token>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

const Policy hourly = Fixed{.delay = 1h};

bool is_bad(const int& status) { return status != 200; }

class retry_in_real_time : public ::testing::Test {
protected:
  std::stop_source stop; // as a local variable GCC 12 warns of it, at -Og
};

TEST_F(retry_in_real_time, wakes_up_at_once_when_it_is_cancelled) {
  std::promise<void> asleep; // or about to be, which must make no difference
  const RetryOptions options{.on_retry = [&](const RetryNotice&) { asleep.set_value(); }};
  auto result = std::async(std::launch::async, [&] {
    return retry(
      hourly, {}, is_bad, [] { return 503; }, SteadyClock{stop.get_token()}, options);
  });
  asleep.get_future().wait();
  stop.request_stop();

  const auto outcome = result.get();
  EXPECT_EQ(outcome.reason, GaveUp::cancelled);
  EXPECT_EQ(outcome.value, 503);
  EXPECT_EQ(outcome.attempts, 1u);
  EXPECT_LT(outcome.elapsed, 1min);
}

TEST_F(retry_in_real_time, wakes_up_when_it_is_cancelled_deep_in_its_sleep) {
  const SteadyClock clock{stop.get_token()};
  auto is_over =
    std::async(std::launch::async, [&] { return clock.sleep_until(Instant::never()); });
  EXPECT_EQ(is_over.wait_for(50ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(is_over.get());
}

// async-retry goes on in the background after it was told to stop.
TEST_F(retry_in_real_time, makes_no_attempt_that_is_already_due_if_it_is_cancelled) {
  int calls = 0;
  const auto at_once = [&] {
    ++calls;
    stop.request_stop();
    return 503;
  };
  const auto result = retry(Fixed{0s}, {}, is_bad, at_once, SteadyClock{stop.get_token()});
  EXPECT_EQ(result.reason, GaveUp::cancelled);
  EXPECT_EQ(calls, 1);
}

TEST_F(retry_in_real_time, waits_no_less_than_its_delay) {
  int calls = 0;
  const auto before = std::chrono::steady_clock::now();
  const auto result =
    retry(Policy{Fixed{.delay = 20ms}}, {}, is_bad, [&] { return ++calls < 3 ? 503 : 200; });
  const auto elapsed = std::chrono::steady_clock::now() - before;

  EXPECT_TRUE(result);
  EXPECT_GE(result.elapsed, 40ms);
  EXPECT_LE(result.elapsed, elapsed);
}

TEST(steady_clock, is_at_once_at_an_instant_that_is_over) {
  const SteadyClock clock;
  EXPECT_TRUE(clock.sleep_until(clock.now()));
  EXPECT_TRUE(clock.sleep_until(Instant{Duration::min()}));
}

} // namespace backoff_actor::system_test
