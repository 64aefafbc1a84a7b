// A rate in a guard: alone, and together with a breaker and a budget.

#include "guard_fixture.hpp"

#include <optional>

namespace backoff_actor::guard_test {

class guard_with_rate : public ::testing::Test {
protected:
  explicit guard_with_rate(const GuardOptions& options = {.rate = RateOptions{.calls = 10}})
    : guard(options, 1, [this](const GuardEvent& event) {
        told.push_back(to_string(event::time_of(event).since_origin) + ": " + to_string(event));
      }) {}

  std::string ask(Duration now, Call call = Call::first) {
    return shown(guard.admit(at(now), call));
  }

  Strings told;
  Guard guard;
};

// With a breaker that opens after one failure, for 5 s.
class guard_of_breaker_and_rate : public guard_with_rate {
protected:
  guard_of_breaker_and_rate()
    : guard_with_rate({.circuit_breaker = touchy(), .rate = RateOptions{.calls = 1, .per = 8s}}) {}

  void fail_at(Duration now) {
    guard.failed(permit_of(guard.admit(at(now), Call::first)), at(now));
  }
};

// With a budget of one retry each ten seconds.
class guard_of_budget_and_rate : public guard_with_rate {
protected:
  guard_of_budget_and_rate()
    : guard_with_rate({.retry_budget = RetryBudgetOptions{0, 0.1, 10s},
                       .rate = RateOptions{.calls = 1, .burst = 2}}) {}
};

// -- calls ------------------------------------------------------------------------------

TEST_F(guard_with_rate, holds_back_the_calls_beyond_it_each_to_a_turn_of_its_own) {
  EXPECT_EQ(ask(0s), "let through");
  EXPECT_EQ(ask(1ms), "rate until 100ms");
  EXPECT_EQ(ask(2ms), "rate until 200ms");
  EXPECT_EQ(ask(100ms), "let through");
  EXPECT_EQ(ask(200ms), "let through");
}

TEST_F(guard_with_rate, counts_retries_as_it_counts_first_attempts) {
  EXPECT_EQ(ask(0s, Call::retry), "let through");
  EXPECT_EQ(ask(0s, Call::retry), "rate until 100ms");
  EXPECT_EQ(ask(50ms, Call::first), "rate until 200ms");
}

TEST_F(guard_with_rate, neither_counts_nor_holds_back_the_start_of_a_child) {
  EXPECT_EQ(ask(0s, Call::start), "let through");
  EXPECT_EQ(ask(0s), "let through");
  EXPECT_EQ(ask(0s, Call::start), "let through");
}

TEST_F(guard_with_rate, takes_the_service_for_well_and_has_nothing_to_close) {
  (void)ask(0s);
  (void)ask(0s);
  EXPECT_TRUE(guard.is_closed());
  EXPECT_THROW(guard.close(at(0s)), InvalidArgument);
  EXPECT_THROW(guard.isolate(at(0s)), InvalidArgument);
}

TEST_F(guard_with_rate, keeps_the_call_of_a_permit_that_is_given_back) {
  guard.forgotten(permit_of(guard.admit(at(0s), Call::first)), at(0s));
  EXPECT_EQ(ask(0s), "rate until 100ms") << "the call may have been made";
}

TEST_F(guard_with_rate, whose_time_goes_back_stays_at_the_latest) {
  EXPECT_EQ(ask(1s), "let through");
  EXPECT_EQ(ask(0s), "rate until 1.1s");
  EXPECT_EQ(guard.status(at(0s)).calls_left, 0u);
}

// -- with a breaker and a budget ----------------------------------------------------------

TEST_F(guard_of_breaker_and_rate, gives_no_probe_to_a_call_that_the_rate_holds_back) {
  fail_at(0s);
  const auto probe = permit_of(guard.admit(at(8s), Call::first));
  guard.forgotten(probe, at(8s)); // its place is free again
  EXPECT_EQ(ask(9s), "rate until 16s");
  EXPECT_EQ(ask(16s), "a probe") << "nobody else has it";
}

TEST_F(guard_of_breaker_and_rate, stays_open_while_the_rate_holds_the_probe_back) {
  fail_at(0s); // open until 5 s
  EXPECT_EQ(ask(5s), "rate until 8s");
  EXPECT_EQ(guard.status(at(5s)).breaker, BreakerState::open);
  EXPECT_EQ(ask(8s), "a probe");
  EXPECT_THAT(told, ElementsAre("0ns: circuit breaker open for 5s", "5s: rate reached",
                                "8s: circuit breaker half open, a probe goes"));
}

TEST_F(guard_of_breaker_and_rate, gives_no_turn_to_a_call_that_the_breaker_holds_back) {
  fail_at(0s); // the next call is allowed at 8 s
  EXPECT_EQ(ask(1s), "open_breaker until 5s");
  EXPECT_EQ(ask(8s), "a probe");
  EXPECT_EQ(reason_of(guard.admit(at(8s), Call::first)), HeldBackBy::probe);
  guard.isolate(at(9s));
  EXPECT_EQ(ask(9s), "isolated_breaker for ever");
  guard.close(at(10s));
  EXPECT_EQ(ask(10s), "rate until 16s") << "the first turn that was given";
  EXPECT_EQ(guard.status(at(10s)).counters.held_back_by_breaker, 3u);
  EXPECT_EQ(guard.status(at(10s)).counters.held_back_by_rate, 1u);
}

TEST_F(guard_of_budget_and_rate, takes_no_retry_for_a_call_that_the_rate_holds_back) {
  EXPECT_EQ(ask(0s), "let through");
  EXPECT_EQ(ask(0s), "let through");
  EXPECT_EQ(ask(0s, Call::retry), "rate until 1s");
  EXPECT_EQ(guard.status(at(0s)).retries_left, 1);
  EXPECT_EQ(ask(1s, Call::retry), "let through");
  EXPECT_EQ(guard.status(at(1s)).retries_left, 0);
}

TEST_F(guard_of_budget_and_rate, takes_no_call_for_a_retry_that_the_budget_holds_back) {
  EXPECT_EQ(ask(0s, Call::retry), "let through");
  EXPECT_EQ(reason_of(guard.admit(at(0s), Call::retry)), HeldBackBy::retry_budget);
  EXPECT_EQ(guard.status(at(0s)).calls_left, 1u);
  EXPECT_EQ(ask(0s), "let through");
}

// -- what is told -------------------------------------------------------------------------

TEST_F(guard_with_rate, tells_when_it_is_reached_and_when_it_is_free_again) {
  (void)ask(0s);
  (void)ask(1ms); // to come at 100 ms
  (void)ask(2ms); // to come at 200 ms
  (void)ask(200ms);
  (void)ask(1199ms); // not a second after the last turn
  EXPECT_THAT(told, ElementsAre("1ms: rate reached"));
  (void)ask(1300ms);
  EXPECT_THAT(told, ElementsAre("1ms: rate reached", "1.3s: rate free again, after 1.299s"));
  (void)ask(1300ms);
  EXPECT_EQ(told.back(), "1.3s: rate reached");
}

TEST_F(guard_with_rate, tells_nothing_while_nobody_is_held_back) {
  for (auto i = 0; i < 50; ++i)
    EXPECT_EQ(ask(i * 100ms), "let through");
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(guard_with_rate, stays_reached_while_callers_wait_one_after_the_other) {
  (void)ask(0s);
  for (auto i = 1; i <= 100; ++i) {
    EXPECT_EQ(ask((i - 1) * 100ms), "rate until " + to_string(i * 100ms));
    EXPECT_EQ(ask(i * 100ms), "let through");
  }
  EXPECT_THAT(told, ElementsAre("0ns: rate reached"));
}

// Each turn is half a minute after the one before, and the rate is full after a minute.
TEST(guard, with_a_slow_rate_stays_reached_from_one_turn_to_the_next_until_it_has_filled_up) {
  Strings told;
  Guard guard{{.rate = RateOptions{.calls = 2, .per = 1min, .burst = 2}},
              0,
              [&](const GuardEvent& event) { told.push_back(to_string(event)); }};
  (void)guard.admit(at(0s), Call::first);
  (void)guard.admit(at(0s), Call::first);
  for (auto i = 1; i <= 10; ++i) {
    EXPECT_EQ(shown(guard.admit(at((i - 1) * 30s), Call::first)),
              "rate until " + to_string(i * 30s));
    (void)guard.admit(at(i * 30s), Call::first);
  }
  EXPECT_EQ(shown(guard.admit(at(359s), Call::first)), "let through");
  EXPECT_THAT(told, ElementsAre("rate reached")) << "the last turn was at 300 s";
  EXPECT_EQ(shown(guard.admit(at(360s), Call::first)), "let through");
  EXPECT_THAT(told, ElementsAre("rate reached", "rate free again, after 6min"));
}

TEST_F(guard_with_rate, counts_what_it_held_back) {
  (void)ask(0s);
  (void)ask(0s);
  (void)ask(0s, Call::retry);
  EXPECT_EQ(guard.status(at(0s)).counters, (GuardCounters{.admitted = 1, .held_back_by_rate = 2}));
}

TEST_F(guard_with_rate, shows_in_its_status_what_is_left_and_for_how_long_it_has_been_reached) {
  EXPECT_EQ(to_string(guard.status(at(0s))), "rate 1 left; 0 calls admitted, 0 held back");
  (void)ask(0s);
  EXPECT_EQ(to_string(guard.status(at(0s))), "rate 0 left; 1 calls admitted, 0 held back");
  (void)ask(50ms); // to come at 100 ms
  EXPECT_EQ(to_string(guard.status(at(90ms))),
            "rate 0 left, reached for 40ms; 1 calls admitted, 1 held back");
  EXPECT_TRUE(guard.status(at(1099ms)).is_limited);
  EXPECT_EQ(guard.status(at(1099ms)).limited_for, 1049ms);
  EXPECT_FALSE(guard.status(at(1100ms)).is_limited) << "a second after the last turn";
  EXPECT_EQ(guard.status(at(1100ms)).limited_for, 0s);
}

TEST(guard, of_all_three_has_the_status_of_each) {
  const Guard guard{{touchy(), RetryBudgetOptions{}, RateOptions{.burst = 7}}};
  EXPECT_EQ(to_string(guard.status(at(0s))),
            "circuit breaker closed, opened 0 times; retry budget 100; rate 7 left; 0 calls "
            "admitted, 0 held back");
}

// -- options ------------------------------------------------------------------------------

TEST(guard, names_all_that_is_wrong_with_its_rate) {
  const GuardOptions options{.rate = RateOptions{.calls = 0, .burst = 0}};
  EXPECT_EQ(to_string(check(options)), "GuardOptions: rate.calls: got 0, allowed 1..1000000\n"
                                       "GuardOptions: rate.burst: got 0, allowed 1..1000000");
  EXPECT_THROW(Guard{options}, InvalidArgument);
}

TEST(guard, of_a_rate_alone_is_a_guard) {
  const GuardOptions options{.rate = RateOptions{}};
  EXPECT_FALSE(options.empty());
  EXPECT_TRUE(check(options).empty());
  EXPECT_EQ(to_string(options), "rate(50/s, burst 1)");
  EXPECT_EQ(to_string(GuardOptions{{}, RetryBudgetOptions{}, RateOptions{}}),
            "retry_budget(20%, 10/s, window 10s) + rate(50/s, burst 1)");
}

} // namespace backoff_actor::guard_test
