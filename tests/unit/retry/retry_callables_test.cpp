// Cancelling, what the function is told, and what kinds of functions there may be.

#include "retry_fixture.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <memory>
#include <stdexcept>
#include <type_traits>

namespace backoff_actor::retry_test {

// -- cancelling -------------------------------------------------------------------------

TEST_F(retry_call, that_is_cancelled_while_it_sleeps_ends_then_with_the_last_error) {
  Service service{clock, {0}};
  clock.cancelled_at = clock.now() + 2500ms;
  const auto result = retry(doubling, {}, is_5xx, service, clock);

  EXPECT_EQ(result.reason, GaveUp::cancelled);
  EXPECT_EQ(message_of(result.error), "connection refused");
  EXPECT_THAT(service.calls, ElementsAre(0s, 1s));
  EXPECT_EQ(result.attempts, 2u);
  EXPECT_EQ(result.elapsed, 2500ms);
}

TEST_F(retry_call, that_is_cancelled_beforehand_makes_no_attempt) {
  Service service{clock, {200}};
  clock.cancelled_at = clock.now();
  auto result = retry(doubling, {}, is_5xx, service, clock);

  EXPECT_EQ(to_string(result), "gave up: cancelled after 0 attempts in 0ns");
  EXPECT_FALSE(result.value);
  EXPECT_FALSE(result.error);
  EXPECT_THAT(service.calls, IsEmpty());
  EXPECT_THROW(std::move(result).value_or_throw(), GaveUpError);
}

TEST_F(retry_call, that_is_cancelled_during_its_last_attempt_may_still_succeed) {
  const auto result = retry(
    doubling, {}, is_5xx,
    [&] {
      clock.cancelled_at = clock.now();
      return 200;
    },
    clock);
  EXPECT_EQ(result.value, 200);
}

TEST_F(retry_call, names_its_own_reason_rather_than_that_it_was_cancelled) {
  const auto result = retry(
    doubling, {.max_attempts = 1}, is_5xx,
    [&] {
      clock.cancelled_at = clock.now();
      return 503;
    },
    clock);
  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
}

// -- what the function is told -------------------------------------------------------------

TEST_F(retry_call, tells_the_function_its_number_its_time_and_whether_it_is_the_last) {
  std::vector<std::string> told;
  const auto result = retry(
    doubling, {.max_attempts = 4, .max_elapsed = 10s, .attempt_timeout = 5s}, is_5xx,
    [&](const Attempt& attempt) {
      told.push_back(std::to_string(attempt.number) + ": " + to_string(*attempt.time_allowed)
                     + (attempt.is_last ? ", the last" : ""));
      clock.pass(500ms);
      return 503;
    },
    clock);
  // They begin at 0 s, 1.5 s, 4 s and 8.5 s.
  EXPECT_THAT(told, ElementsAre("1: 5s", "2: 5s", "3: 5s", "4: 1.5s, the last"));
  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
}

TEST_F(retry_call, leaves_the_function_all_the_time_it_likes_without_a_limit) {
  (void)retry(
    doubling, {}, is_5xx,
    [](const Attempt& attempt) {
      EXPECT_EQ(attempt.time_allowed, std::nullopt);
      EXPECT_FALSE(attempt.is_last);
      return 200;
    },
    clock);
}

// -- kinds of functions ---------------------------------------------------------------------

TEST_F(retry_call, takes_functions_that_return_nothing) {
  int calls = 0;
  const auto function = [&] {
    if (++calls < 3)
      throw std::runtime_error("not yet");
  };
  const auto result = retry(doubling, {}, on_exceptions, function, clock);
  static_assert(std::is_same_v<decltype(result), const RetryResult<void>>);

  EXPECT_TRUE(result);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(to_string(result), "succeeded after 3 attempts in 3s");
  EXPECT_NO_THROW(result.value_or_throw());
}

TEST_F(retry_call, of_a_function_that_returns_nothing_gives_up_with_the_error) {
  const auto result = retry(
    doubling, {.max_attempts = 3}, [](const std::exception&) { return true; },
    [] { throw std::out_of_range("never"); }, clock);

  EXPECT_EQ(to_string(result),
            "gave up: attempts_exhausted after 3 attempts in 3s; last error: never");
  EXPECT_THROW(result.value_or_throw(), std::out_of_range);
}

TEST_F(retry_call, tells_of_its_end_in_one_line_whatever_was_thrown) {
  const auto result = retry(
    doubling, {.max_attempts = 2}, [](const std::exception&) { return true; },
    [] { throw std::out_of_range("High\nVolt\xe9"); }, clock);

  EXPECT_EQ(to_string(result), "gave up: attempts_exhausted after 2 attempts in 1s; last error: "
                               "High\\nVolt\xef\xbf\xbd");
}

TEST_F(retry_call, has_no_value_if_an_exception_is_called_a_success) {
  const auto predicate = [](const std::exception&) { return success; };
  const auto result = retry(
    doubling, {}, predicate, []() -> int { throw std::runtime_error("boom"); }, clock);

  EXPECT_EQ(result.reason, GaveUp::not_retryable);
  EXPECT_FALSE(result.value);
  EXPECT_EQ(message_of(result.error), "boom");
}

TEST_F(retry_call,
       of_a_function_that_returns_nothing_succeeds_if_an_exception_is_called_a_success) {
  const auto predicate = [](const std::exception&) { return success; };
  const auto result = retry(
    doubling, {}, predicate, [] { throw std::runtime_error("it is there"); }, clock);

  EXPECT_TRUE(result);
  EXPECT_EQ(result.attempts, 1u);
}

TEST_F(retry_call, takes_values_that_can_only_be_moved) {
  using Box = std::unique_ptr<int>;
  int calls = 0;
  auto result = retry(
    doubling, {}, [](const Box& box) { return *box < 2; },
    [&] { return std::make_unique<int>(++calls); }, clock);

  ASSERT_TRUE(result);
  const Box box = std::move(result).value_or_throw();
  EXPECT_EQ(*box, 2);
}

int global_status() { return 200; }

TEST_F(retry_call, takes_plain_functions_and_functions_that_may_be_called_only_if_mutable) {
  EXPECT_EQ(retry(doubling, {}, is_5xx, global_status, clock).value, 200);
  EXPECT_EQ(retry(doubling, {}, is_5xx, &global_status, clock).value, 200);
  EXPECT_EQ(retry(
              doubling, {}, [n = 0](const int&) mutable { return ++n < 3; },
              [n = 0]() mutable { return ++n; }, clock)
              .value,
            3);
}

// -- what may be left out --------------------------------------------------------------------

TEST(retry_in_real_time, needs_a_policy_and_a_function_and_nothing_else) {
  int calls = 0;
  const auto result = retry("fixed(1us)", [&] {
    if (++calls < 3)
      throw std::runtime_error("not yet");
  });
  static_assert(std::is_same_v<decltype(result), const RetryResult<void>>);
  EXPECT_TRUE(result);
  EXPECT_EQ(calls, 3);

  EXPECT_EQ(retry(Fixed{1us}, [&] { return calls; }).value, 3);
}

TEST(retry_in_real_time, takes_limits_and_options_without_a_predicate) {
  std::vector<std::string> told;
  const RetryOptions options{
    .on_retry = [&](const RetryNotice& x) { told.push_back(detail::text_of(x.error)); }};
  const auto never = [](const Attempt&) -> int { throw std::out_of_range("never"); };

  const auto result = retry("fixed(1us)", {.max_attempts = 3}, never, options);

  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_EQ(result.attempts, 3u);
  EXPECT_THAT(told, ElementsAre("never", "never"));
  EXPECT_EQ(retry("fixed(1us)", {.max_attempts = 1}, never).attempts, 1u);
}

TEST(retry_in_real_time, without_limits_has_those_of_the_policy) {
  int calls = 0;
  const auto result = retry(Ethernet{.slot_time = 1us, .ceiling = 1}, [&] {
    ++calls;
    throw std::runtime_error("collision");
  });
  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_EQ(calls, 16);
}

TEST(retry_in_real_time, throws_for_a_text_that_is_no_policy_before_the_first_attempt) {
  int calls = 0;
  EXPECT_THROW((void)retry("fixed(soon)", [&] { ++calls; }), ParseError);
  EXPECT_EQ(calls, 0);
}

TEST_F(retry_call, ends_with_what_is_thrown_and_is_no_exception) {
  const SharedGuard guard{{.circuit_breaker = CircuitBreakerOptions{}}};
  const RetryOptions options{.guard = guard};
  int calls = 0;
  const auto throws_a_number = [&]() -> int {
    ++calls;
    throw 3;
  };

  EXPECT_THROW((void)retry(doubling, {}, on_exceptions, throws_a_number, clock, options), int);

  EXPECT_EQ(calls, 1);
  const auto counters = guard.status(clock.now()).counters;
  EXPECT_EQ(counters.admitted, 1u);
  EXPECT_EQ(counters.failed, 0u) << "the guard forgets it";
  EXPECT_EQ(counters.succeeded, 0u);
}

// -- value_or_throw -------------------------------------------------------------------------

TEST_F(retry_call, gives_its_value_or_throws_what_the_last_attempt_threw) {
  EXPECT_EQ(retry(
              doubling, {}, is_5xx, [] { return 200; }, clock)
              .value_or_throw(),
            200);
  const auto result = retry(
    doubling, {.max_attempts = 1}, is_5xx, []() -> int { throw std::out_of_range("far"); }, clock);
  EXPECT_THROW(result.value_or_throw(), std::out_of_range);
}

TEST_F(retry_call, throws_an_error_with_the_reason_instead_of_a_value_that_nobody_wanted) {
  const auto result = retry(
    doubling, {.max_attempts = 2}, is_5xx, [] { return 503; }, clock);
  try {
    result.value_or_throw();
    FAIL() << "returned";
  } catch (const GaveUpError& error) {
    EXPECT_EQ(error.reason(), GaveUp::attempts_exhausted);
    EXPECT_STREQ(error.what(), "gave up: attempts_exhausted after 2 attempts in 1s");
  }
}

} // namespace backoff_actor::retry_test
