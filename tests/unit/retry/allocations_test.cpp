// Counts what this thread asks `operator new` for; the other tests of the program do not mind.

#include "backoff_actor/retry/retry.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace backoff_actor::retry_test {

thread_local std::size_t allocations = 0;

} // namespace backoff_actor::retry_test

void* operator new(std::size_t size) {
  ++backoff_actor::retry_test::allocations;
  if (const auto result = std::malloc(size == 0 ? 1 : size))
    return result;
  throw std::bad_alloc{};
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

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
  const RetryOptions options{.on_retry = [&told](const RetryNotice&) { ++told; }};
  const std::runtime_error error{"allocated beforehand"};
  const auto before = allocations;

  const auto result = retry(
    policy, {.max_retries = 999}, [](const int&) { return true; },
    [&](const Attempt& attempt) {
      if (attempt.number % 2 == 0)
        throw error;
      return 503;
    },
    InstantClock{}, options);

  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(result.attempts, 1000u);
  EXPECT_EQ(told, 999u);
}

} // namespace backoff_actor::retry_test
