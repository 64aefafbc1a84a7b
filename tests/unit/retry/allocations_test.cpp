// Counts what the program asks `operator new` for.

#include "backoff_actor/retry/retry.hpp"

#include "common/allocations.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>

namespace backoff_actor::retry_test {

using namespace std::chrono_literals;

// Is always at its destination.
struct InstantClock {
  Instant now() const { return time; }

  bool sleep_until(Instant due) {
    time = due;
    return true;
  }

  Instant time{};
};

TEST(retry_allocations, do_not_happen) {
  const Policy policy = Exponential{.first = 1s} | full_jitter;
  std::size_t told = 0;
  RetryOptions options{.on_retry = [&told](const RetryNotice&) { ++told; }};
  CircuitBreakerOptions breaker;
  breaker.trip = ConsecutiveFailures{1'000'000};
  options.guard = SharedGuard{{breaker, RetryBudgetOptions{.per_second = 1'000'000}}};
  const std::runtime_error error{"allocated beforehand"};
  const auto before = test::allocations();

  const auto result = retry(
    policy, {.max_attempts = 1000}, [](const int&) { return true; },
    [&](const Attempt& attempt) {
      if (attempt.number % 2 == 0)
        throw error;
      return 503;
    },
    InstantClock{}, options);

  EXPECT_EQ(test::allocations() - before, 0u);
  EXPECT_EQ(result.attempts, 1000u);
  EXPECT_EQ(told, 999u);
}

} // namespace backoff_actor::retry_test
