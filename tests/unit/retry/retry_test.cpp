#include "retry_fixture.hpp"

namespace backoff_actor::retry_test {

// -- success ---------------------------------------------------------------------------

TEST_F(retry_call, that_succeeds_at_once_neither_waits_nor_fails) {
  Service service{clock, {200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock);

  EXPECT_TRUE(result);
  EXPECT_EQ(result.value, 200);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.reason, std::nullopt);
  EXPECT_EQ(result.attempts, 1u);
  EXPECT_EQ(result.elapsed, 0s);
  EXPECT_THAT(clock.sleeps, IsEmpty());
}

TEST_F(retry_call, waits_as_its_policy_says_between_the_attempts) {
  Service service{clock, {503, 0, 500, 503, 503, 200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock);

  EXPECT_THAT(service.calls, ElementsAre(0s, 1s, 3s, 7s, 15s, 23s));
  EXPECT_THAT(clock.sleeps, ElementsAre(1s, 2s, 4s, 8s, 8s));
  EXPECT_EQ(result.value, 200);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.attempts, 6u);
  EXPECT_EQ(result.elapsed, 23s);
}

TEST_F(retry_call, takes_success_after_its_time_for_success) {
  Service service{clock, {200}};
  service.takes = 1min;
  const auto result =
    retry(doubling, {.max_elapsed = 2s, .attempt_timeout = 1s}, is_5xx, service, clock);
  EXPECT_EQ(result.value, 200);
  EXPECT_EQ(result.elapsed, 1min);
}

// -- giving up ---------------------------------------------------------------------------

TEST_F(retry_call, gives_up_with_the_last_value_when_the_retries_are_used_up) {
  Service service{clock, {501, 502, 503, 504}};
  const auto result = retry(doubling, {.max_attempts = 4}, is_5xx, service, clock);

  EXPECT_FALSE(result);
  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_EQ(result.value, 504);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.attempts, 4u);
  EXPECT_EQ(result.elapsed, 7s);
  EXPECT_EQ(to_string(result), "gave up: attempts_exhausted after 4 attempts in 7s");
}

TEST_F(retry_call, gives_up_with_the_last_exception_and_no_older_value) {
  Service service{clock, {503, 0}};
  const auto result = retry(doubling, {.max_attempts = 2}, is_5xx, service, clock);

  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_EQ(result.value, std::nullopt);
  EXPECT_EQ(message_of(result.error), "connection refused");
  EXPECT_EQ(to_string(result), "gave up: attempts_exhausted after 2 attempts in 1s; last error: "
                               "connection refused");
}

TEST_F(retry_call, gives_up_with_the_last_value_and_no_older_exception) {
  Service service{clock, {0, 503}};
  const auto result = retry(doubling, {.max_attempts = 2}, is_5xx, service, clock);

  EXPECT_EQ(result.value, 503);
  EXPECT_FALSE(result.error);
}

TEST_F(retry_call, does_not_wait_for_a_retry_that_could_begin_only_at_the_limit) {
  Service service{clock, {503}};
  const auto result = retry(doubling, {.max_elapsed = 7s}, is_5xx, service, clock);

  EXPECT_THAT(service.calls, ElementsAre(0s, 1s, 3s));
  EXPECT_EQ(result.reason, GaveUp::out_of_time);
  EXPECT_EQ(result.elapsed, 3s);
}

TEST_F(retry_call, makes_no_attempt_if_it_wakes_up_too_late) {
  Service service{clock, {503}};
  clock.oversleep = 1s;
  const auto result = retry(doubling, {.max_elapsed = 2s}, is_5xx, service, clock);

  EXPECT_THAT(service.calls, ElementsAre(0s));
  EXPECT_EQ(result.reason, GaveUp::out_of_time);
  EXPECT_EQ(result.attempts, 1u);
  EXPECT_EQ(result.elapsed, 2s);
}

TEST_F(retry_call, refuses_limits_that_cannot_be_before_the_first_attempt) {
  Service service{clock, {200}};
  const Limits bad{.max_elapsed = 0s, .attempt_timeout = 0s};
  EXPECT_THROW((void)retry(doubling, bad, is_5xx, service, clock), InvalidArgument);
  EXPECT_THAT(service.calls, IsEmpty());
}

// -- what the predicate says ---------------------------------------------------------------

TEST_F(retry_call, ends_with_what_the_predicate_calls_final) {
  Service service{clock, {404}};
  const auto result = retry(
    doubling, {}, [](const int& status) { return status == 200 ? success : not_retryable; },
    service, clock);

  EXPECT_EQ(result.reason, GaveUp::not_retryable);
  EXPECT_EQ(result.value, 404);
  EXPECT_EQ(to_string(result), "gave up: not_retryable after 1 attempt in 0ns");
}

TEST_F(retry_call, never_comes_earlier_than_the_server_asked_for) {
  const struct {
    Duration hint;
    Duration second_call;
  } rows[] = {{0s, 1s}, {-1s, 1s}, {999ms, 1s}, {1s + 1ns, 1s + 1ns}, {2min, 2min}, {5min, 5min}};
  for (const auto& row : rows) {
    Service service{clock, {429, 200}};
    const auto predicate = [&](const int& status) {
      return status == 429 ? retryable_after(row.hint) : success;
    };
    EXPECT_TRUE(retry(doubling, {}, predicate, service, clock));
    EXPECT_THAT(service.calls, ElementsAre(0s, row.second_call));
  }
}

TEST_F(retry_call, retries_every_exception_if_the_predicate_takes_values_only) {
  Service service{clock, {0, 0, 200}};
  EXPECT_TRUE(retry(doubling, {}, is_5xx, service, clock));
}

TEST_F(retry_call, wants_every_value_if_the_predicate_takes_exceptions_only) {
  Service service{clock, {0, 503}};
  const auto result = retry(doubling, {}, on_exceptions, service, clock);
  EXPECT_TRUE(result);
  EXPECT_EQ(result.value, 503);
}

TEST_F(retry_call, asks_a_predicate_that_takes_both_about_both) {
  struct Picky {
    bool operator()(const int& status) const { return status == 503; }
    bool operator()(const std::exception& error) const {
      return std::string{error.what()} == "nobody refuses like this";
    }
  };
  Service service{clock, {503, 0, 200}};
  const auto result = retry(doubling, {}, Picky{}, service, clock);
  EXPECT_EQ(result.reason, GaveUp::not_retryable);
  EXPECT_EQ(message_of(result.error), "connection refused");
  EXPECT_EQ(result.attempts, 2u);
}

TEST_F(retry_call, lets_through_what_is_no_std_exception) {
  int calls = 0;
  EXPECT_THROW((void)retry(
                 doubling, {}, on_exceptions,
                 [&] {
                   ++calls;
                   throw 42; // NOLINT
                 },
                 clock),
               int);
  EXPECT_EQ(calls, 1);
}

TEST_F(retry_call, lets_through_what_the_predicate_throws) {
  Service values{clock, {503}};
  EXPECT_THROW(
    (void)retry(
      doubling, {}, [](const int&) -> bool { throw std::logic_error("?"); }, values, clock),
    std::logic_error);
  Service errors{clock, {0}};
  EXPECT_THROW((void)retry(
                 doubling, {}, [](const std::exception&) -> bool { throw std::logic_error("?"); },
                 errors, clock),
               std::logic_error);
  EXPECT_EQ(values.calls.size() + errors.calls.size(), 2u);
}

// p-retry and gaxios cut the waits: all calls that are left come in a burst.
TEST_F(retry_call, ends_at_its_limit_of_time_and_shortens_no_wait_for_it) {
  Service service{clock, {503}};
  const auto result =
    retry(Fixed{1s}, {.max_attempts = 10, .max_elapsed = 3500ms}, is_5xx, service, clock);

  EXPECT_THAT(service.calls, ElementsAre(0s, 1s, 2s, 3s));
  EXPECT_EQ(result.reason, GaveUp::out_of_time);
  EXPECT_EQ(result.elapsed, 3s) << "it does not wait for a retry that would come too late";
}

} // namespace backoff_actor::retry_test
