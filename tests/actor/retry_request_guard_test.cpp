// `RetryRequestOptions::guard`: when a request is held back, and what the guard is told.

#include "retry_request_fixture.hpp"

#include "through_the_network.hpp"

#include <variant>

namespace backoff_actor::actor_test {

class GuardedRequest : public RetryRequest {
protected:
  static SharedGuard breaker(std::uint32_t failures, Duration open = 5s) {
    CircuitBreakerOptions options;
    options.trip = ConsecutiveFailures{failures};
    options.open = Fixed{open};
    options.spread = 0s;
    return SharedGuard{{options, {}}, 1};
  }

  Pending call_guarded(const Policy& policy, const backoff_actor::Limits& limits = {},
                       const ErrorPredicate& predicate = {}) {
    return call_with_options(
      {.policy = policy, .limits = limits, .predicate = predicate, .guard = guard});
  }

  GuardCounters counters() { return guard.status(time.now()).counters; }

  /// Opens a breaker that opens after one failure.
  void open() { guard.failed(std::get<Permit>(guard.admit(time.now(), Call::first)), time.now()); }

  std::string rendered(const Pending& got) {
    return got->reply ? render(time.system(), *got->reply) : "nothing";
  }

  SharedGuard guard = breaker(1);
};

// -- held back ------------------------------------------------------------------------------

TEST_F(GuardedRequest, is_not_made_while_the_breaker_is_open_and_says_when_to_come_back) {
  open();
  time.advance(1800ms);
  const auto got = call_guarded(Fixed{10ms});

  EXPECT_THAT(asked(), IsEmpty());
  ASSERT_TRUE(got->reply);
  EXPECT_FALSE(got->reply->is_answered());
  EXPECT_EQ(got->reply->gave_up, GaveUp::held_back);
  EXPECT_EQ(got->reply->held_back_by, HeldBackBy::open_breaker);
  EXPECT_EQ(got->reply->come_back_in, 3200ms);
  EXPECT_EQ(got->reply->attempts, 0u);
  EXPECT_TRUE(got->reply->error == SenderError::held_back);
  EXPECT_EQ(retry_after_of(got->reply->error), 3200ms);
  EXPECT_EQ(rendered(got), "held back by open_breaker, come back in 3.2s, after 0ns, 0 attempts");
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(GuardedRequest, asks_for_its_first_attempt_as_such_and_for_the_others_as_retries) {
  guard = SharedGuard{{{}, RetryBudgetOptions{.ratio = 0, .per_second = 0.2, .window = 10s}}, 1};
  for (auto i = 0; i < 2; ++i)
    (void)guard.admit(time.now(), Call::retry);
  acts = {fails("no")};
  const auto got = call_guarded(Fixed{1s});
  time.advance(1min);
  EXPECT_EQ(outcome(got), "held back by retry_budget, come back in 4s, after 1s, 1 attempt");
}

TEST_F(GuardedRequest, gives_up_for_its_own_reason_before_it_asks_the_guard) {
  acts = {fails("no")};
  const auto got = call_guarded(Fixed{10ms}, {.max_attempts = 1});
  EXPECT_EQ(got->reply->gave_up, GaveUp::attempts_exhausted);
  EXPECT_EQ(got->reply->held_back_by, std::nullopt);
  EXPECT_EQ(counters().held_back_by_breaker, 0u);
}

TEST_F(GuardedRequest, has_a_reply_that_survives_the_network) {
  for (const auto& come_back_in : {std::optional<Duration>{}, std::optional<Duration>{3s}}) {
    const RetriedReply reply{.gave_up = GaveUp::held_back,
                             .attempts = 2,
                             .elapsed = 1s,
                             .held_back_by = HeldBackBy::retry_budget,
                             .come_back_in = come_back_in};
    const auto copy = through_the_network(time.system(), reply);
    EXPECT_EQ(copy.gave_up, GaveUp::held_back);
    EXPECT_EQ(copy.attempts, 2u);
    EXPECT_EQ(copy.held_back_by, HeldBackBy::retry_budget);
    EXPECT_EQ(copy.come_back_in, come_back_in);
  }
}

// -- what the guard is told -------------------------------------------------------------------

TEST_F(GuardedRequest, tells_the_guard_what_came_of_every_attempt) {
  guard = breaker(9);
  acts = {fails("no"), asks_for(5ms), stays_silent()};
  const auto got = call_guarded(Fixed{10ms}, {.attempt_timeout = 100ms});
  time.advance(1min);
  EXPECT_EQ(outcome(got), "answered after 130ms, 4 attempts");
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 4, .succeeded = 1, .failed = 3}));
}

TEST_F(GuardedRequest, takes_a_final_error_for_a_success_of_the_service) {
  acts = {fails("no such order")};
  call_guarded(Fixed{10ms}, {}, [](const caf::error&) { return false; });
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .succeeded = 1}));
}

TEST_F(GuardedRequest, takes_an_attempt_without_an_answer_in_time_for_a_failure_even_if_final) {
  acts = {stays_silent()};
  call_guarded(Fixed{10ms}, {.attempt_timeout = 1s}, [](const caf::error&) { return false; });
  time.advance(1s);
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .failed = 1, .opened = 1}));
}

TEST_F(GuardedRequest, whose_target_is_gone_says_nothing_of_the_service) {
  time.stop(target);
  time.run();
  call_guarded(Fixed{10ms});
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1}));
}

TEST_F(GuardedRequest, whose_target_or_caller_ends_during_an_attempt_gives_its_probe_back) {
  for (const auto ends_target : {true, false}) {
    guard = breaker(1);
    target = spawn_target();
    acts = {stays_silent()};
    open();
    time.advance(5s);
    call_guarded(Fixed{10ms});
    EXPECT_TRUE(std::holds_alternative<HeldBack>(guard.admit(time.now(), Call::first)));

    time.stop(ends_target ? target : caf::actor_cast<caf::actor>(caller));
    time.run();

    EXPECT_TRUE(std::holds_alternative<Permit>(guard.admit(time.now(), Call::first)));
    EXPECT_EQ(counters().failed, 1u) << "that which opened it";
    EXPECT_EQ(counters().succeeded, 0u);
  }
}

TEST_F(GuardedRequest, does_not_take_another_guards_word_for_the_services) {
  acts = {fails_with(held_back_error({HeldBackBy::open_breaker, time.now() + 2s}, time.now()))};
  const auto got = call_guarded(Fixed{10ms});
  time.advance(1min);
  EXPECT_EQ(outcome(got), "answered after 2s, 2 attempts");
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 2, .succeeded = 1}));
}

} // namespace backoff_actor::actor_test
