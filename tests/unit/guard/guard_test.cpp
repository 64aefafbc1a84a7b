// A breaker and a budget together, what is told of them, and their options.

#include "guard_fixture.hpp"

#include <stdexcept>

namespace backoff_actor::guard_test {

// One retry at first, then one each ten seconds.
RetryBudgetOptions tight() { return {.ratio = 0, .per_second = 0.1, .window = 10s}; }

class guard_of_both : public ::testing::Test {
protected:
  std::string ask(Duration now, Call call = Call::first) {
    return shown(guard.admit(at(now), call));
  }

  void fail_at(Duration now) {
    guard.failed(permit_of(guard.admit(at(now), Call::first)), at(now));
  }

  Strings told;
  Guard guard{{touchy(), tight()}, 1, [this](const GuardEvent& event) {
                told.push_back(to_string(event::time_of(event).since_origin) + ": "
                               + to_string(event));
              }};
};

// -- calls --------------------------------------------------------------------------------

TEST_F(guard_of_both, counts_first_attempts_as_no_retries) {
  for (auto i = 0; i < 9; ++i)
    EXPECT_EQ(ask(0s), "let through");
  EXPECT_EQ(ask(0s, Call::retry), "let through");
  EXPECT_EQ(reason_of(guard.admit(at(0s), Call::retry)), HeldBackBy::retry_budget);
  EXPECT_EQ(ask(0s), "let through") << "that is no retry";
}

TEST_F(guard_of_both, takes_no_retry_for_a_call_that_the_breaker_holds_back) {
  fail_at(0s);
  EXPECT_EQ(ask(1s, Call::retry), "open_breaker until 5s");
  EXPECT_EQ(guard.status(at(1s)).retries_left, 1);
  EXPECT_EQ(ask(5s, Call::retry), "a probe");
  EXPECT_EQ(guard.status(at(5s)).retries_left, 0);
}

TEST_F(guard_of_both, gives_no_probe_to_a_retry_that_the_budget_holds_back) {
  EXPECT_EQ(ask(0s, Call::retry), "let through");
  fail_at(0s);
  EXPECT_EQ(ask(5s, Call::retry), "retry_budget until 10s");
  EXPECT_EQ(guard.status(at(5s)).breaker, BreakerState::open);
  EXPECT_EQ(ask(5s), "a probe");
}

TEST_F(guard_of_both, knows_whether_the_service_is_taken_for_well) {
  EXPECT_TRUE(guard.is_closed());
  fail_at(0s);
  EXPECT_FALSE(guard.is_closed());
  const auto probe = permit_of(guard.admit(at(5s), Call::first));
  EXPECT_FALSE(guard.is_closed());
  guard.succeeded(probe, at(5s));
  EXPECT_TRUE(guard.is_closed());
}

TEST_F(guard_of_both, whose_time_goes_back_stays_at_the_latest) {
  const auto early = permit_of(guard.admit(at(9s), Call::first));
  (void)ask(10s);
  guard.failed(early, at(8s));
  EXPECT_EQ(ask(9s), "open_breaker until 15s");
  EXPECT_EQ(guard.status(at(7s)).open_for, 5s);
}

// -- what is told -----------------------------------------------------------------------------

TEST_F(guard_of_both, tells_of_every_change_once) {
  fail_at(1s);
  (void)ask(2s);
  guard.failed(permit_of(guard.admit(at(6s), Call::first)), at(7s));
  guard.succeeded(permit_of(guard.admit(at(12s), Call::first)), at(13s));
  guard.isolate(at(14s));
  guard.isolate(at(14s));
  guard.close(at(15s));
  guard.close(at(15s));
  EXPECT_THAT(
    told,
    ElementsAre("1s: circuit breaker open for 5s", "6s: circuit breaker half open, a probe goes",
                "7s: the probe failed, circuit breaker open for 5s",
                "12s: circuit breaker half open, a probe goes", "13s: circuit breaker closed",
                "14s: circuit breaker isolated by hand", "15s: circuit breaker closed by hand"));
}

TEST_F(guard_of_both, tells_of_the_first_retry_in_a_row_that_is_held_back) {
  (void)ask(0s, Call::retry);
  (void)ask(1s, Call::retry);
  (void)ask(2s, Call::retry);
  (void)ask(3s);
  (void)ask(20s, Call::retry);
  (void)ask(21s, Call::retry);
  EXPECT_THAT(told, ElementsAre("1s: retry budget exhausted", "20s: retry budget recovered",
                                "21s: retry budget exhausted"));
}

TEST(guard, renders_the_events_of_its_rate) {
  EXPECT_EQ(to_string(GuardEvent{event::RateReached{at(1s)}}), "rate reached");
  EXPECT_EQ(to_string(GuardEvent{event::RateFree{at(13s), at(1s)}}), "rate free again, after 12s");
}

TEST(guard, loses_what_a_hook_throws_and_nothing_else) {
  Guard guard{{touchy(), {}}, 0, [](const GuardEvent&) { throw std::runtime_error("?"); }};
  guard.failed(permit_of(guard.admit(at(0s), Call::first)), at(0s));
  EXPECT_EQ(shown(guard.admit(at(0s), Call::first)), "open_breaker until 5s");
}

TEST_F(guard_of_both, counts_what_went_through_and_what_did_not) {
  fail_at(0s);
  (void)ask(1s);
  (void)ask(1s);
  guard.succeeded(permit_of(guard.admit(at(5s), Call::retry)), at(5s));
  (void)ask(5s, Call::retry);
  guard.forgotten(permit_of(guard.admit(at(5s), Call::first)), at(5s));

  EXPECT_EQ(guard.status(at(5s)).counters, (GuardCounters{.admitted = 3,
                                                          .held_back_by_breaker = 2,
                                                          .held_back_by_budget = 1,
                                                          .succeeded = 1,
                                                          .failed = 1,
                                                          .opened = 1}));
}

TEST_F(guard_of_both, renders_its_status_in_one_line) {
  EXPECT_EQ(
    to_string(guard.status(at(0s))),
    "circuit breaker closed, opened 0 times; retry budget 1; 0 calls admitted, 0 held back");
  (void)ask(0s, Call::retry);
  fail_at(0s);
  (void)ask(1s);
  EXPECT_EQ(to_string(guard.status(at(1800ms))),
            "circuit breaker open for 3.2s, opened 1 time; retry budget 0.1; 2 calls admitted, "
            "1 held back");
  EXPECT_EQ(guard.status(at(9s)).open_for, 0s) << "its time is over, and nobody has asked";
  guard.isolate(at(9s));
  EXPECT_EQ(to_string(guard.status(at(9s))).substr(0, 43),
            "circuit breaker isolated, opened 1 time; re");
}

TEST(guard, of_one_thing_has_the_status_of_that) {
  const Guard breaker{{CircuitBreakerOptions{}, {}}};
  EXPECT_EQ(to_string(breaker.status(at(0s))),
            "circuit breaker closed, opened 0 times; 0 calls admitted, 0 held back");
  const Guard budget{{{}, RetryBudgetOptions{}}};
  EXPECT_EQ(to_string(budget.status(at(0s))), "retry budget 100; 0 calls admitted, 0 held back");
  EXPECT_TRUE(budget.is_closed());
}

TEST(guard, shows_the_window_and_the_failures_of_its_breaker) {
  Guard guard{{CircuitBreakerOptions{.trip = FailureRatioOfTime{0.9, 1s, 9}}, {}}};
  guard.succeeded(permit_of(guard.admit(at(0s), Call::first)), at(0s));
  guard.failed(permit_of(guard.admit(at(0s), Call::first)), at(0s));
  EXPECT_EQ(guard.status(at(0s)).window, (CallCounts{2, 1}));
  EXPECT_EQ(guard.status(at(0s)).consecutive_failures, 1u);
  EXPECT_EQ(guard.status(at(1s)).window, (CallCounts{0, 0}));
}

// -- when to come back ---------------------------------------------------------------------------

TEST(come_back_in, is_the_rest_of_the_time_or_nothing) {
  EXPECT_EQ(come_back_in({HeldBackBy::open_breaker, at(5s)}, at(3s)), 2s);
  EXPECT_EQ(come_back_in({HeldBackBy::probe, at(5s)}, at(7s)), 0s);
  EXPECT_EQ(come_back_in({HeldBackBy::isolated_breaker, Instant::never()}, at(7s)), std::nullopt);
}

// -- options -----------------------------------------------------------------------

TEST(guard, names_all_that_is_wrong_with_its_options) {
  GuardOptions options{CircuitBreakerOptions{}, RetryBudgetOptions{.ratio = 0, .per_second = 0}};
  auto& breaker = *options.circuit_breaker;
  breaker.trip = FailureRatioOfCalls{1.5, 5, 6};
  breaker.open = Fixed{0s};
  breaker.probes = 0;
  breaker.spread = -1ns;
  breaker.probe_timeout = 25h;
  EXPECT_EQ(
    to_string(check(options)),
    "GuardOptions: circuit_breaker.ratio: got 150%, allowed more than 0%, to 100%\n"
    "GuardOptions: circuit_breaker.minimum_calls: got 6, allowed 1..5\n"
    "GuardOptions: circuit_breaker.open: got 0ns, allowed a policy with delays above 0ns\n"
    "GuardOptions: circuit_breaker.probes: got 0, allowed 1..1000000\n"
    "GuardOptions: circuit_breaker.spread: got -1ns, allowed 0ns..24h\n"
    "GuardOptions: circuit_breaker.probe_timeout: got 25h, allowed 1ns..24h\n"
    "GuardOptions: retry_budget.per_second: got 0/s, allowed more than 0/s, unless the ratio is");
  EXPECT_THROW(Guard{options}, InvalidArgument);
  EXPECT_THROW(CircuitBreaker{breaker}, InvalidArgument);
}

TEST(guard, that_guards_with_nothing_lets_every_call_through_and_counts_it) {
  Guard guard{GuardOptions{}};
  for (auto i = 0; i != 100; ++i)
    guard.failed(std::get<Permit>(guard.admit(Instant{}, i < 50 ? Call::first : Call::retry)),
                 Instant{});
  EXPECT_TRUE(guard.is_closed());
  EXPECT_EQ(to_string(guard.status(Instant{})), "100 calls admitted, 0 held back");
  EXPECT_THROW(guard.close(Instant{}), InvalidArgument);
}

std::string wrong(const Trip& trip) {
  return to_string(check(CircuitBreakerOptions{.trip = trip}));
}

TEST(guard, checks_every_kind_of_trip) {
  EXPECT_EQ(wrong(ConsecutiveFailures{0}),
            "CircuitBreakerOptions: failures: got 0, allowed 1..1000000");
  EXPECT_EQ(wrong(ConsecutiveFailures{1'000'001}),
            "CircuitBreakerOptions: failures: got 1000001, allowed 1..1000000");
  EXPECT_EQ(wrong(FailureRatioOfCalls{0, 0, 0}),
            "CircuitBreakerOptions: ratio: got 0%, allowed more than 0%, to 100%\n"
            "CircuitBreakerOptions: calls: got 0, allowed 1..1000000");
  EXPECT_EQ(wrong(FailureRatioOfTime{0.5, 9ms, 0}),
            "CircuitBreakerOptions: within: got 9ms, allowed 10ms..24h\n"
            "CircuitBreakerOptions: minimum_calls: got 0, allowed 1..1000000");
  EXPECT_EQ(wrong(FailureRatioOfCalls{1, 1, 1}), "");
  EXPECT_EQ(wrong(FailureRatioOfTime{1, 24h, 1'000'000}), "");
}

TEST(guard, writes_its_options_with_everything_in_them) {
  EXPECT_EQ(to_string(GuardOptions{}), "none");
  EXPECT_EQ(to_string(GuardOptions{CircuitBreakerOptions{}, {}}),
            "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)");
  EXPECT_EQ(
    to_string(GuardOptions{CircuitBreakerOptions{.trip = FailureRatioOfCalls{0.25, 50, 20},
                                                 .open = Fixed{1s} | full_jitter},
                           RetryBudgetOptions{}}),
    "circuit_breaker(25% of 50 calls, min_calls 20, open fixed(1s) | full_jitter, probes 1, "
    "spread 5s, probe_timeout 1min) + retry_budget(20%, 10/s, window 10s)");
  EXPECT_EQ(to_string(CircuitBreakerOptions{.trip = FailureRatioOfTime{}}).substr(0, 48),
            "circuit_breaker(50% within 30s, min_calls 10, op");
}

// -- by hand -----------------------------------------------------------------------

TEST(guard, without_a_breaker_can_be_neither_isolated_nor_closed) {
  Guard guard{{{}, RetryBudgetOptions{}}};
  const auto message_of = [](auto call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of([&] { guard.isolate(at(0s)); }),
            "circuit_breaker: got none, allowed one to be isolated");
  EXPECT_EQ(message_of([&] { guard.close(at(0s)); }),
            "circuit_breaker: got none, allowed one to be closed");
}

TEST(guard, names_its_enumerators) {
  EXPECT_EQ(to_string(HeldBackBy::open_breaker), "open_breaker");
  EXPECT_EQ(to_string(HeldBackBy::probe), "probe");
  EXPECT_EQ(to_string(HeldBackBy::isolated_breaker), "isolated_breaker");
  EXPECT_EQ(to_string(HeldBackBy::retry_budget), "retry_budget");
  EXPECT_EQ(to_string(HeldBackBy::rate), "rate");
  EXPECT_EQ(to_string(HeldBackBy{77}), "unknown");
  EXPECT_EQ(to_string(BreakerState::closed), "closed");
  EXPECT_EQ(to_string(BreakerState::open), "open");
  EXPECT_EQ(to_string(BreakerState::half_open), "half_open");
  EXPECT_EQ(to_string(BreakerState::isolated), "isolated");
  EXPECT_EQ(to_string(BreakerState{77}), "unknown");
}

} // namespace backoff_actor::guard_test
