// `guarded`: what passes through an actor behind a guard, and what is held back.

#include "guarded_fixture.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace backoff_actor::actor_test {

// -- what passes ------------------------------------------------------------------------------

TEST_F(Guarded, requests_are_answered_by_the_target) {
  start();
  EXPECT_EQ(got(ask("ok")), "ok done");
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .succeeded = 1}));
}

TEST_F(Guarded, requests_get_the_targets_error) {
  start();
  EXPECT_THAT(got(ask("no")), HasSubstr("down"));
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .failed = 1, .opened = 1}));
}

TEST_F(Guarded, errors_that_are_final_are_the_services_answer) {
  start();
  EXPECT_THAT(got(ask("bad")), HasSubstr("unexpected_message"));
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .succeeded = 1}));
}

TEST_F(Guarded, errors_are_what_the_predicate_says) {
  start(
    {.predicate = [](const caf::error& error) { return error == caf::sec::unexpected_message; }});
  ask("no");
  EXPECT_EQ(counters().succeeded, 1u);
  ask("bad");
  EXPECT_EQ(counters().failed, 1u);
}

TEST_F(Guarded, messages_keep_their_order) {
  start();
  for (const auto* word : {"1", "2", "3"})
    time.tell(front, std::string{word});
  time.run();
  EXPECT_THAT(*seen, ElementsAre("1", "2", "3"));
}

TEST_F(Guarded, a_request_that_is_answered_with_nothing_gets_that) {
  start();
  const auto answer = ask(std::int32_t{7});
  EXPECT_THAT(*seen, ElementsAre("7"));
  EXPECT_EQ(counters().succeeded, 1u);
}

TEST_F(Guarded, the_guard_hears_of_plain_sends_and_their_client_of_the_answer) {
  start();
  const auto received = std::make_shared<Strings>();
  const auto client = time.keep(time.system().spawn<PlainClient>(front, received));
  time.tell(client, std::uint64_t{5});
  time.run();
  EXPECT_THAT(*received, ElementsAre("5 done"));
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .succeeded = 1}));
}

TEST_F(Guarded, plain_sends_can_fail_and_their_client_lives) {
  guard = breaker(2);
  start();
  const auto received = std::make_shared<Strings>();
  const auto client = time.keep(time.system().spawn<PlainClient>(front, received));
  const auto ended = watch(client);
  time.tell(front, std::string{"no"});
  time.run();
  EXPECT_EQ(counters().failed, 1u);
  EXPECT_FALSE(*ended);
}

TEST_F(Guarded, a_typed_actor_keeps_its_type) {
  using Typed = caf::typed_actor<compat::Signature<std::string, std::string>>;
  start();
  const auto typed = caf::actor_cast<Typed>(service);
  const Typed before = guarded(typed, guard);
  front = time.keep(caf::actor_cast<caf::actor>(before));
  EXPECT_EQ(got(ask("ok")), "ok done");
}

// -- held back -----------------------------------------------------------------------------------

TEST_F(Guarded, requests_fail_at_once_while_the_breaker_is_open_and_say_when_to_come_back) {
  start();
  ask("no");
  time.advance(1800ms);
  const auto answer = ask("ok");

  EXPECT_EQ(got(answer), "held_back: the guard does not let this call through to the service now "
                         "(open_breaker, retry after 3.2s)");
  ASSERT_TRUE(answer->error);
  EXPECT_TRUE(*answer->error == SenderError::held_back);
  EXPECT_EQ(held_back_by(*answer->error), HeldBackBy::open_breaker);
  EXPECT_EQ(retry_after_of(*answer->error), 3200ms);
  EXPECT_THAT(*seen, ElementsAre("no"));
}

TEST_F(Guarded, a_request_beyond_the_rate_fails_at_once_and_says_when_to_come_back) {
  guard = SharedGuard{{.rate = RateOptions{.calls = 10}}, 1};
  start();
  EXPECT_EQ(got(ask("ok")), "ok done");
  EXPECT_EQ(got(ask("ok")),
            "held_back: the guard does not let this call through to the service now "
            "(rate, retry after 100ms)");
  time.advance(100ms);
  EXPECT_EQ(got(ask("ok")), "ok done");
}

TEST_F(Guarded, one_that_is_isolated_asks_nobody_to_come_back_at_a_time) {
  start();
  guard.isolate(time.now());
  const auto answer = ask("ok");
  EXPECT_EQ(got(answer), "held_back: the guard does not let this call through to the service now "
                         "(isolated_breaker)");
  EXPECT_EQ(retry_after_of(*answer->error), 0s) << "the backoff of who retries says";
}

TEST_F(Guarded, plain_sends_are_lost_while_the_breaker_is_open_and_counted) {
  start();
  ask("no");
  const auto received = std::make_shared<Strings>();
  const auto client = time.keep(time.system().spawn<PlainClient>(front, received));
  const auto ended = watch(client);
  time.tell(client, std::uint64_t{5});
  time.tell(front, std::string{"ok"});
  time.run();
  EXPECT_THAT(*seen, ElementsAre("no"));
  EXPECT_THAT(*received, IsEmpty());
  EXPECT_FALSE(*ended);
  EXPECT_EQ(counters().held_back_by_breaker, 2u);
}

TEST_F(Guarded, messages_are_no_retries_and_earn_their_part_of_the_budget) {
  guard = SharedGuard{{{}, RetryBudgetOptions{.ratio = 0.5, .per_second = 0}}, 1};
  start();
  for (auto i = 0; i < 4; ++i)
    EXPECT_EQ(got(ask("ok")), "ok done");
  EXPECT_EQ(guard.status(time.now()).retries_left, 2);
}

TEST_F(Guarded, a_retried_request_in_front_waits_as_told) {
  start();
  ask("no");
  time.advance(1s);
  std::optional<RetriedReply> reply;
  std::optional<Instant> at;
  const auto began = time.now();
  time.keep(time.system().spawn<Caller>([&](caf::event_based_actor* self) {
    retry_request(self, front, Fixed{10ms}, {}, {}, std::string{"ok"})
      .then([&](const RetriedReply& x) {
        reply = x;
        at = time.now();
      });
  }));
  time.advance(1min);
  ASSERT_TRUE(reply);
  EXPECT_EQ(*at - began, 4s);
  EXPECT_EQ(reply->attempts, 2u);
  EXPECT_THAT(*seen, ElementsAre("no", "ok"));
}

TEST_F(Guarded, a_sender_in_front_waits_as_told_and_loses_nothing) {
  start();
  ask("no");
  const auto sender = time.keep(
    spawn_back_off_sender(time.system(), [this](caf::event_based_actor*) { return front; },
                          {.backoff = Fixed{10ms}, .seed = 1, .stream = 0}));
  time.advance(1s);
  const auto answer = time.ask<std::string>(sender, std::string{"ok"});
  time.advance(4s - 1ns);
  EXPECT_THAT(*seen, ElementsAre("no"));
  EXPECT_EQ(got(answer), "nothing");
  time.advance(1ns);
  EXPECT_EQ(got(answer), "ok done");

  guard.isolate(time.now());
  const auto second = time.ask<std::string>(sender, std::string{"ok"});
  time.advance(1min);
  EXPECT_EQ(got(second), "nothing");
  guard.close(time.now());
  time.advance(10ms);
  EXPECT_EQ(got(second), "ok done");
}

TEST_F(Guarded, what_another_guard_held_back_says_nothing_of_the_service) {
  start();
  ask("no");
  const auto guard_in_front = breaker(1);
  const auto in_front = time.keep(guarded(front, guard_in_front));
  for (int i = 0; i < 2; ++i) {
    const auto answer = time.ask<std::string>(in_front, std::string{"ok"});
    time.run();
    EXPECT_TRUE(*answer->error == SenderError::held_back);
  }
  EXPECT_EQ(guard_in_front.status(time.now()).counters.held_back_by_breaker, 0u);
}

TEST_F(Guarded, a_sender_in_front_is_charged_nothing_whatever_its_decider_says) {
  start();
  ask("no");
  SenderOptions options;
  options.backoff = Fixed{10ms};
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  options.decider = [](FailureKind, const caf::error&) { return Decision{Verdict::retry}; };
  const auto sender = time.keep(spawn_back_off_sender(
    time.system(), [this](caf::event_based_actor*) { return front; }, std::move(options)));
  const auto answer = time.ask<std::string>(sender, std::string{"ok"});
  time.advance(5s);
  EXPECT_EQ(got(answer), "ok done");
}

TEST_F(Guarded, a_sender_in_front_takes_the_crash_of_its_target_for_one) {
  guard = breaker(9);
  auto crashes = 2;
  const auto make = [&](caf::event_based_actor* self) {
    return guarded(self->spawn<Behaving>([&](caf::event_based_actor*) {
      return caf::behavior{[&](const std::string& word) -> std::string {
        if (crashes-- > 0)
          throw std::runtime_error("too hot");
        return word + " done";
      }};
    }),
                   guard);
  };
  const auto sender = time.keep(
    spawn_back_off_sender(time.system(), make, {.backoff = Fixed{10ms}, .seed = 1, .stream = 0}));
  const auto answer = time.ask<std::string>(sender, std::string{"job"});
  time.advance(1min);
  EXPECT_EQ(got(answer), "job done");
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 3, .succeeded = 1, .failed = 2}));
}

// -- options -----------------------------------------------------------------------

TEST_F(Guarded, all_that_is_wrong_is_named_before_anything_is_made) {
  try {
    start();
    (void)guarded(service, SharedGuard{}, {.call_timeout = 0s});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "GuardedOptions: call_timeout: got 0ns, allowed 1us or more\n"
                               "GuardedOptions: guard: got none, allowed a guard");
  }
}

TEST(held_back_error, says_why_and_when) {
  const VirtualTime time; // errors with a context need CAF's types, which a system registers
  const Instant now{1h};
  for (const auto reason :
       {HeldBackBy::open_breaker, HeldBackBy::probe, HeldBackBy::isolated_breaker,
        HeldBackBy::retry_budget, HeldBackBy::rate}) {
    const auto error = held_back_error({reason, now + 3s}, now);
    EXPECT_EQ(held_back_by(error), reason);
    EXPECT_EQ(retry_after_of(error), 3s);
  }
  EXPECT_EQ(held_back_by(caf::make_error(caf::sec::runtime_error, std::string{"probe"})),
            std::nullopt);
  EXPECT_EQ(held_back_by(make_error(SenderError::held_back)), std::nullopt);
  EXPECT_EQ(held_back_by({}), std::nullopt);
}

TEST(sender_errors, have_numbers_that_stay) {
  EXPECT_EQ(to_string(SenderError{11}),
            "held_back: the guard does not let this call through to the service now");
  EXPECT_EQ(to_string(SenderError{12}),
            "no_child: the message was not accepted, because there is no worker now");
  EXPECT_EQ(
    to_string(SenderError{13}),
    "not_stored: the message was not accepted, because the durable outbox could not store it");
  EXPECT_EQ(
    to_string(SenderError{14}),
    "not_storable: the message was not accepted, because the durable outbox cannot store its type "
    "or its key");
  EXPECT_EQ(to_string(SenderError{15}),
            "suspended: the sender ended, and this delivery stays owed in its durable outbox");
  EXPECT_EQ(to_string(SenderError{16}),
            "already_acknowledged: a delivery with this idempotency key "
            "was acknowledged before");
  EXPECT_EQ(to_string(SenderError{17}),
            "unknown_type: the message has a type that is not registered with CAF");
  EXPECT_EQ(to_string(SenderError{18}), "not_owner: the message was not accepted, because this "
                                        "process does not own the outbox");
  EXPECT_EQ(last_sender_error, 19);
  EXPECT_EQ(to_string(SenderError{20}), "unknown sender error");
}

} // namespace backoff_actor::actor_test
