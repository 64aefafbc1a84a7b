// `RetryOptions::guard`: who asks, who is told, and what becomes of a call that is held back.

#include "retry_fixture.hpp"

#include <variant>

namespace backoff_actor::retry_test {

class guarded_retry : public retry_call {
protected:
  static SharedGuard breaker(std::uint32_t failures, Duration open = 5s) {
    CircuitBreakerOptions options;
    options.trip = ConsecutiveFailures{failures};
    options.open = Fixed{open};
    options.spread = 0s;
    return SharedGuard{{options, {}}, 1};
  }

  RetryOptions guarded() const {
    RetryOptions options;
    options.guard = guard;
    return options;
  }

  GuardCounters counters() const { return guard.status(clock.now()).counters; }

  /// Opens a breaker that opens after one failure.
  void open() {
    const auto now = clock.now();
    guard.failed(std::get<Permit>(guard.admit(now, Call::first)), now);
  }

  SharedGuard guard = breaker(1);
};

// -- held back ---------------------------------------------------------------------------

TEST_F(guarded_retry, is_not_begun_while_the_breaker_is_open_and_says_when_to_come_back) {
  open();
  clock.pass(1800ms);
  Service service{clock, {200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());

  EXPECT_FALSE(result);
  EXPECT_THAT(service.calls, IsEmpty());
  EXPECT_EQ(result.reason, GaveUp::held_back);
  EXPECT_EQ(result.held_back_by, HeldBackBy::open_breaker);
  EXPECT_EQ(result.come_back_in, 3200ms);
  EXPECT_EQ(result.attempts, 0u);
  EXPECT_EQ(result.value, std::nullopt);
  EXPECT_EQ(to_string(result),
            "gave up: held back by open_breaker, come back in 3.2s, after 0 attempts in 0ns");
}

TEST_F(guarded_retry, ends_when_its_own_failures_open_the_breaker) {
  guard = breaker(2, 10s);
  Service service{clock, {503, 0, 200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());

  EXPECT_THAT(service.calls, ElementsAre(0s, 1s));
  EXPECT_EQ(result.reason, GaveUp::held_back);
  EXPECT_EQ(result.come_back_in, 8s) << "it opened at 1 s, and the third attempt was due at 3 s";
  EXPECT_EQ(to_string(result), "gave up: held back by open_breaker, come back in 8s, after 2 "
                               "attempts in 3s; last error: connection refused");
}

TEST_F(guarded_retry, that_somebody_isolated_has_no_time_to_come_back) {
  guard.isolate(clock.now());
  Service service{clock, {200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());

  EXPECT_EQ(result.held_back_by, HeldBackBy::isolated_breaker);
  EXPECT_EQ(result.come_back_in, std::nullopt);
  EXPECT_EQ(to_string(result), "gave up: held back by isolated_breaker, after 0 attempts in 0ns");
}

TEST_F(guarded_retry, is_held_back_while_the_probe_of_another_is_out) {
  open();
  clock.pass(5s);
  (void)guard.admit(clock.now(), Call::first);
  Service service{clock, {200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());
  EXPECT_EQ(result.held_back_by, HeldBackBy::probe);
  EXPECT_GE(result.come_back_in.value(), 10ms);
}

TEST_F(guarded_retry, asks_for_its_first_attempt_as_such_and_for_the_others_as_retries) {
  guard = SharedGuard{{{}, RetryBudgetOptions{.ratio = 0, .per_second = 0.2, .window = 10s}}, 1};
  for (auto i = 0; i < 2; ++i)
    (void)guard.admit(clock.now(), Call::retry);
  Service service{clock, {503}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());

  EXPECT_EQ(result.attempts, 1u);
  EXPECT_EQ(result.value, 503);
  EXPECT_EQ(to_string(result),
            "gave up: held back by retry_budget, come back in 4s, after 1 attempt in 1s");
}

TEST_F(guarded_retry, counts_each_attempt_for_the_rate_and_ends_when_that_is_reached) {
  guard = SharedGuard{{.rate = RateOptions{.calls = 2, .per = 10s, .burst = 2}}, 1};
  Service service{clock, {503}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());

  EXPECT_THAT(service.calls, ElementsAre(0s, 1s));
  EXPECT_EQ(result.held_back_by, HeldBackBy::rate);
  EXPECT_EQ(result.come_back_in, 2s) << "5 s after the first";
  EXPECT_EQ(to_string(result),
            "gave up: held back by rate, come back in 2s, after 2 attempts in 3s");
}

TEST_F(guarded_retry, whose_delays_are_longer_than_the_rate_wants_never_notices_it) {
  guard = SharedGuard{{.rate = RateOptions{.calls = 1}}, 1};
  Service service{clock, {503, 503, 200}};
  EXPECT_TRUE(retry(doubling, {}, is_5xx, service, clock, guarded()));
  EXPECT_THAT(service.calls, ElementsAre(0s, 1s, 3s));
}

TEST_F(guarded_retry, throws_what_it_has_to_say_if_there_is_no_error_of_an_attempt) {
  open();
  Service service{clock, {200}};
  const auto result = retry(doubling, {}, is_5xx, service, clock, guarded());
  try {
    (void)result.value_or_throw();
    FAIL();
  } catch (const GaveUpError& error) {
    EXPECT_EQ(error.reason(), GaveUp::held_back);
    EXPECT_STREQ(error.what(),
                 "gave up: held back by open_breaker, come back in 5s, after 0 attempts in 0ns");
  }
}

TEST_F(guarded_retry, gives_up_for_its_own_reason_before_it_asks_the_guard) {
  Service service{clock, {503}};
  const auto result = retry(doubling, {.max_attempts = 1}, is_5xx, service, clock, guarded());
  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_EQ(result.held_back_by, std::nullopt);
  EXPECT_EQ(counters().held_back_by_breaker, 0u);
}

TEST_F(guarded_retry, that_is_cancelled_before_the_first_attempt_does_not_ask) {
  clock.cancelled_at = clock.now();
  Service service{clock, {200}};
  EXPECT_EQ(retry(doubling, {}, is_5xx, service, clock, guarded()).reason, GaveUp::cancelled);
  EXPECT_EQ(counters(), GuardCounters{});
}

// -- what the guard is told ------------------------------------------------------------------

TEST_F(guarded_retry, tells_the_guard_what_came_of_every_attempt) {
  guard = breaker(9);
  Service service{clock, {503, 0, 429, 200}};
  const auto predicate = [](const int& status) {
    return status == 429 ? retryable_after(1s) : status == 503 ? retryable : success;
  };
  EXPECT_TRUE(retry(doubling, {}, predicate, service, clock, guarded()));
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 4, .succeeded = 1, .failed = 3}));
}

TEST_F(guarded_retry, takes_a_final_answer_for_a_success_of_the_service) {
  const auto never_again = [](const auto&) { return not_retryable; };
  Service value{clock, {404}};
  Service error{clock, {0}};
  EXPECT_FALSE(retry(doubling, {}, never_again, value, clock, guarded()));
  EXPECT_FALSE(retry(doubling, {}, never_again, error, clock, guarded()));
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 2, .succeeded = 2}));
}

TEST_F(guarded_retry, tells_of_a_failure_when_the_attempt_ends_and_not_when_the_delay_does) {
  Service service{clock, {503}};
  service.takes = 2s;
  auto options = guarded();
  options.on_retry = [&](const RetryNotice&) {
    EXPECT_EQ(guard.status(clock.now()).open_for, 5s);
    EXPECT_EQ(guard.status(clock.now()).breaker, BreakerState::open);
  };
  (void)retry(Fixed{1s}, {}, is_5xx, service, clock, options);
}

TEST_F(guarded_retry, whose_exception_leaves_it_is_forgotten_and_its_probe_makes_room) {
  const auto throws_a_number = [] { throw 42; }; // NOLINT
  const auto refuses = [](const int&) -> bool { throw std::logic_error("?"); };
  for (auto round = 0; round < 3; ++round) {
    open();
    clock.pass(5s);
    Service service{clock, {503}};
    EXPECT_THROW((void)retry(doubling, {}, on_exceptions, throws_a_number, clock, guarded()), int);
    EXPECT_THROW((void)retry(doubling, {}, refuses, service, clock, guarded()), std::logic_error);
    EXPECT_EQ(guard.status(clock.now()).breaker, BreakerState::half_open);
    EXPECT_TRUE(retry(
      doubling, {}, on_exceptions, [] { return 200; }, clock, guarded()));
  }
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 12, .succeeded = 3, .failed = 3, .opened = 3}));
}

TEST_F(guarded_retry, that_is_cancelled_during_a_delay_has_told_of_its_failure) {
  guard = breaker(9);
  clock.cancelled_at = clock.now() + 500ms;
  Service service{clock, {503}};
  EXPECT_EQ(retry(doubling, {}, is_5xx, service, clock, guarded()).reason, GaveUp::cancelled);
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .failed = 1}));
}

TEST_F(guarded_retry, guards_a_function_that_returns_nothing) {
  auto calls = 0;
  const auto refuse = [&] {
    ++calls;
    throw std::runtime_error("down");
  };
  const auto result = retry(doubling, {}, on_exceptions, refuse, clock, guarded());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(to_string(result), "gave up: held back by open_breaker, come back in 4s, after 1 "
                               "attempt in 1s; last error: down");
}

TEST_F(guarded_retry, shares_its_guard_with_other_calls) {
  Service service{clock, {503}};
  (void)retry(doubling, {.max_attempts = 1}, is_5xx, service, clock, guarded());
  Service other{clock, {200}};
  EXPECT_EQ(retry(doubling, {}, is_5xx, other, clock, guarded()).attempts, 0u);
}

// -- a call inside of a call ---------------------------------------------------------------

// With a permit of its own, the inner call would wait for that of the outer one, for ever.
TEST_F(guarded_retry, inside_of_another_with_the_same_guard_is_a_part_of_it) {
  guard = breaker(1, 1s);
  Service service{clock, {503, 503, 200, 200}};
  const auto inner = [&] {
    return retry(doubling, {.max_attempts = 1}, is_5xx, service, clock, guarded());
  };
  const auto has_failed = [](const RetryResult<int>& result) { return !result; };
  const auto result = retry(doubling, {}, has_failed, inner, clock, guarded());

  EXPECT_TRUE(result);
  EXPECT_THAT(service.calls, ElementsAre(0s, 1s, 3s));
  EXPECT_EQ(guard.status(clock.now()).breaker, BreakerState::closed);
  EXPECT_EQ(counters().admitted, 3u) << "of the outer calls";
  EXPECT_TRUE(inner());
  EXPECT_EQ(counters().admitted, 4u) << "of its own again";
}

TEST_F(guarded_retry, inside_of_one_with_another_guard_asks_its_own) {
  const auto others = breaker(1);
  Service service{clock, {200}};
  auto options = guarded();
  options.guard = others;
  const auto inner = [&] {
    return retry(doubling, {}, is_5xx, service, clock, guarded()).attempts;
  };
  EXPECT_TRUE(retry(doubling, {}, on_exceptions, inner, clock, options));
  EXPECT_EQ(counters().admitted, 1u);
  EXPECT_EQ(others.status(clock.now()).counters.admitted, 1u);
}

// -- the price of a retry -------------------------------------------------------------------

class priced_retry : public retry_call {
protected:
  // A budget of three retries that earns one in a second.
  SharedGuard guard{{{}, RetryBudgetOptions{.ratio = 0, .per_second = 1, .window = 3s}}, 1};

  static Assessment assess(const int& status) {
    if (status == 429)
      return retryable_as("dear");
    return status == 503 ? retryable_as("free") : success;
  }
};

TEST_F(priced_retry, takes_what_its_class_costs) {
  Service service{clock, {429, 429, 200}};
  const auto result =
    retry(Fixed{10ms}, {}, assess, service, clock, {.guard = guard, .by_reason = "dear: cost 2"});

  EXPECT_THAT(service.calls, ElementsAre(0s, 10ms));
  EXPECT_EQ(result.held_back_by, HeldBackBy::retry_budget);
  EXPECT_EQ(result.come_back_in, 990ms) << "1.01 are left, two are needed";
}

// p-retry makes a retry that is not charged at once.
TEST_F(priced_retry, waits_also_if_it_is_free) {
  Service service{clock, {503, 503, 503, 503, 503, 200}};
  const auto result =
    retry(Fixed{10ms}, {}, assess, service, clock, {.guard = guard, .by_reason = "free: cost 0"});

  EXPECT_TRUE(result);
  EXPECT_THAT(service.calls, ElementsAre(0s, 10ms, 20ms, 30ms, 40ms, 50ms));
  EXPECT_EQ(guard.status(clock.now()).retries_left, 3);
}

TEST_F(priced_retry, that_costs_more_than_the_budget_ever_holds_is_refused) {
  Service service{clock, {200}};
  try {
    static_cast<void>(retry(Fixed{10ms}, {}, assess, service, clock,
                            {.guard = guard, .by_reason = "dear: cost 4"}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "RetryOptions: by_reason.dear.cost: got 4, allowed at most 3, what the retry "
                 "budget holds after a rest");
  }
  EXPECT_THAT(service.calls, IsEmpty());
}

} // namespace backoff_actor::retry_test
