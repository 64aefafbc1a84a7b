// `guarded`: an actor behind a guard.

#include "fixture.hpp"

#include <caf/actor_registry.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <stdexcept>
#include <variant>

namespace backoff_actor::actor_test {

/// A service in virtual time: "ok" is answered, "no" fails, "bad" fails for good, "wait" is answered
/// after 2 s, "never" not at all, "crash" ends it, a number is answered with nothing.
class Service : public caf::event_based_actor {
public:
  Service(caf::actor_config& config, std::shared_ptr<Strings> seen)
    : caf::event_based_actor(config), seen_(std::move(seen)) {
    seam::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& word) -> caf::result<caf::message> {
              seen_->push_back(word);
              if (word == "no")
                return caf::make_error(caf::sec::runtime_error, std::string{"down"});
              if (word == "bad")
                return caf::make_error(caf::sec::unexpected_message);
              if (word == "crash")
                throw std::runtime_error("too hot");
              if (word == "wait" || word == "never") {
                owed_.push_back(make_response_promise());
                if (word != "never")
                  seam::send_later(*this, 2s, std::uint64_t{owed_.size() - 1});
                return caf::delegated<caf::message>{};
              }
              return caf::make_message(word + " done");
            },
            [this](std::uint64_t number) {
              seam::answer(owed_.at(number), caf::make_message(std::string{"late"}));
            },
            [this](std::int32_t number) { seen_->push_back(std::to_string(number)); }};
  }

  void on_exit() override { owed_.clear(); }

private:
  std::shared_ptr<Strings> seen_;
  std::vector<caf::response_promise> owed_;
};

class Guarded : public ::testing::Test {
protected:
  static SharedGuard breaker(std::uint32_t failures, Duration open = 5s) {
    CircuitBreakerOptions options;
    options.trip = ConsecutiveFailures{failures};
    options.open = Fixed{open};
    options.spread = 0s;
    return SharedGuard{{options, {}}, 1};
  }

  void start(GuardedOptions options = {}) {
    service = time.keep(time.system().spawn<Service>(seen));
    front = time.keep(guarded(service, guard, std::move(options)));
    time.run();
  }

  template <class... Ts>
  std::shared_ptr<testing::Answer<std::string>> ask(Ts... values) {
    auto answer = time.ask<std::string>(front, values...);
    time.run();
    return answer;
  }

  std::shared_ptr<testing::Answer<std::string>> ask(const char* word) {
    return ask(std::string{word});
  }

  /// What has come: the text, the error, or "nothing".
  std::string got(const std::shared_ptr<testing::Answer<std::string>>& answer) {
    return answer->value   ? *answer->value
           : answer->error ? render(time.system(), *answer->error)
                           : "nothing";
  }

  GuardCounters counters() { return guard.status(time.now()).counters; }

  void open() { guard.failed(std::get<Permit>(guard.admit(time.now(), Call::first)), time.now()); }

  std::shared_ptr<std::optional<caf::error>> watch(const caf::actor& whom) {
    auto reason = std::make_shared<std::optional<caf::error>>();
    time.keep(time.system().spawn<Watcher>(whom, reason));
    time.run();
    return reason;
  }

  VirtualTime time{
    [](caf::actor_system_config& config) { init<caf::id_block::backoff_actor_tests>(config); }};
  std::shared_ptr<Strings> seen = std::make_shared<Strings>();
  SharedGuard guard = breaker(1);
  caf::actor service;
  caf::actor front;
};

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
  using Typed = caf::typed_actor<seam::Signature<std::string, std::string>>;
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

  EXPECT_EQ(got(answer), "held_back: the guard lets no such call through to the service now "
                         "(open_breaker, retry after 3.2s)");
  ASSERT_TRUE(answer->error);
  EXPECT_TRUE(*answer->error == SenderError::held_back);
  EXPECT_EQ(held_back_by(*answer->error), HeldBackBy::open_breaker);
  EXPECT_EQ(retry_after_of(*answer->error), 3200ms);
  EXPECT_THAT(*seen, ElementsAre("no"));
}

TEST_F(Guarded, a_probe_closes_the_breaker) {
  start();
  ask("no");
  time.advance(5s);
  EXPECT_EQ(got(ask("ok")), "ok done");
  EXPECT_EQ(guard.status(time.now()).breaker, BreakerState::closed);
}

TEST_F(Guarded, one_that_is_isolated_asks_nobody_to_come_back_at_a_time) {
  start();
  guard.isolate(time.now());
  const auto answer = ask("ok");
  EXPECT_EQ(got(answer), "held_back: the guard lets no such call through to the service now "
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

// -- calls without an answer -------------------------------------------------------------------------

TEST_F(Guarded, a_call_without_an_answer_in_time_is_a_failure_and_its_answer_still_comes) {
  start({.call_timeout = 1s});
  const auto answer = ask("wait");
  time.advance(1s - 1ns);
  EXPECT_EQ(counters().failed, 0u);
  time.advance(1ns);
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 1, .failed = 1, .opened = 1}));
  EXPECT_EQ(got(answer), "nothing");
  time.advance(1s);
  EXPECT_EQ(got(answer), "late");
  EXPECT_EQ(counters().succeeded, 0u) << "it has been counted";
}

TEST_F(Guarded, a_call_has_a_minute_unless_told_otherwise) {
  start();
  ask("never");
  time.advance(1min - 1ns);
  EXPECT_EQ(counters().failed, 0u);
  time.advance(1ns);
  EXPECT_EQ(counters().failed, 1u);
}

TEST_F(Guarded, each_call_has_its_own_time) {
  guard = breaker(9);
  start({.call_timeout = 1s});
  ask("never");
  time.advance(400ms);
  ask("never");
  ask("ok");
  time.advance(599ms);
  EXPECT_EQ(counters().failed, 0u);
  time.advance(1ms);
  EXPECT_EQ(counters().failed, 1u);
  time.advance(399ms);
  EXPECT_EQ(counters().failed, 1u);
  time.advance(1ms);
  EXPECT_EQ(counters().failed, 2u);
  ask("never");
  time.advance(1s);
  EXPECT_EQ(counters().failed, 3u);
  EXPECT_EQ(time.timers(), 0u) << "there is nothing to wake up for";
}

TEST_F(Guarded, a_plain_send_without_an_answer_is_forgotten) {
  start({.call_timeout = 1s});
  open();
  time.advance(5s);
  time.tell(front, std::string{"never"});
  time.advance(1s - 1ns);
  EXPECT_EQ(got(ask("ok")).substr(0, 9), "held_back") << "the probe is out";
  time.advance(1ns);
  EXPECT_EQ(counters().failed, 1u) << "that which opened it";
  EXPECT_EQ(got(ask("ok")), "ok done");
}

// -- ends --------------------------------------------------------------------------------------------

TEST_F(Guarded, it_ends_with_its_target_and_its_reason) {
  start();
  const auto reason = watch(front);
  const auto open_call = ask("never");
  const auto last = ask("crash");

  ASSERT_TRUE(*reason);
  EXPECT_TRUE(**reason == caf::sec::runtime_error);
  EXPECT_THAT(got(last), HasSubstr("too hot"));
  ASSERT_TRUE(open_call->error);
  EXPECT_TRUE(*open_call->error == caf::sec::request_receiver_down);
  EXPECT_THAT(got(ask("ok")), HasSubstr("request_receiver_down"));
  EXPECT_EQ(counters(), (GuardCounters{.admitted = 2, .failed = 1, .opened = 1}));
}

TEST_F(Guarded, a_target_that_is_gone_gives_its_probe_back) {
  start();
  open();
  time.advance(5s);
  const auto probe = ask("never");
  time.stop(service);
  time.run();
  EXPECT_THAT(got(probe), HasSubstr("request_receiver_down"));
  EXPECT_TRUE(std::holds_alternative<Permit>(guard.admit(time.now(), Call::first)));
  EXPECT_EQ(counters().failed, 1u) << "that which opened it";
}

TEST_F(Guarded, before_an_actor_that_is_gone_it_is_gone) {
  start();
  time.stop(service);
  time.run();
  front = time.keep(guarded(service, guard));
  EXPECT_TRUE(*watch(front));
  EXPECT_THAT(got(ask("ok")), HasSubstr("request_receiver_down"));
  EXPECT_EQ(counters().failed + counters().succeeded, 0u);
}

TEST_F(Guarded, what_a_target_passed_on_before_it_quit_is_answered) {
  start();
  const auto worker = service;
  service = time.keep(time.system().spawn<Behaving>([=](caf::event_based_actor* self) {
    return caf::behavior{[=](const std::string& word) {
      self->quit();
      return self->delegate(worker, word);
    }};
  }));
  front = time.keep(guarded(service, guard));
  time.run();
  const auto reason = watch(front);
  const auto answer = ask("wait");
  EXPECT_FALSE(*reason) << "it waits";
  EXPECT_THAT(got(ask("ok")), HasSubstr("request_receiver_down"));
  time.advance(2s);
  EXPECT_EQ(got(answer), "late");
  ASSERT_TRUE(*reason);
  EXPECT_FALSE(**reason) << "normally, as its target";
}

TEST_F(Guarded, what_nobody_answers_after_the_target_quit_fails_at_its_time) {
  start();
  const auto worker = service;
  service = time.keep(time.system().spawn<Behaving>([=](caf::event_based_actor* self) {
    return caf::behavior{[=](const std::string& word) {
      self->quit();
      return self->delegate(worker, word);
    }};
  }));
  front = time.keep(guarded(service, guard, {.call_timeout = 1s}));
  time.run();
  const auto reason = watch(front);
  const auto answer = ask("never");
  time.advance(1s);
  EXPECT_THAT(got(answer), HasSubstr("request_receiver_down"));
  EXPECT_TRUE(*reason);
}

TEST_F(Guarded, its_end_fails_what_is_open_and_spares_the_target) {
  start();
  open();
  time.advance(5s);
  const auto answer = ask("never");
  time.stop(front);
  time.run();
  EXPECT_THAT(got(answer), HasSubstr("request_receiver_down"));
  EXPECT_TRUE(std::holds_alternative<Permit>(guard.admit(time.now(), Call::first)));
  front = service;
  EXPECT_EQ(got(ask("ok")), "ok done");
}

TEST_F(Guarded, one_that_nobody_knows_lives_until_its_call_is_answered) {
  start();
  const auto before = time.system().registry().running();
  auto answer = std::shared_ptr<testing::Answer<std::string>>{};
  {
    const auto unknown = guarded(service, guard);
    answer = time.ask<std::string>(unknown, std::string{"wait"});
  }
  time.run();
  EXPECT_GT(time.system().registry().running(), before);
  time.advance(2s);
  EXPECT_EQ(got(answer), "late");
  EXPECT_EQ(counters().succeeded, 1u);
}

// -- options ----------------------------------------------------------------------------------------------

TEST_F(Guarded, all_that_is_wrong_is_named_before_anything_is_made) {
  try {
    start();
    (void)guarded(service, SharedGuard{}, {.call_timeout = 0s});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "call_timeout: got 0ns, allowed more than 0ns\n"
                               "guard: got none, allowed a guard");
  }
}

TEST(held_back_error, says_why_and_when) {
  const Instant now{1h};
  for (const auto reason : {HeldBackBy::open_breaker, HeldBackBy::probe,
                            HeldBackBy::isolated_breaker, HeldBackBy::retry_budget}) {
    const auto error = held_back_error({reason, now + 3s}, now);
    EXPECT_EQ(held_back_by(error), reason);
    EXPECT_EQ(retry_after_of(error), 3s);
  }
  EXPECT_EQ(held_back_by(caf::make_error(caf::sec::runtime_error, std::string{"probe"})),
            std::nullopt);
  EXPECT_EQ(held_back_by(make_error(SenderError::held_back)), std::nullopt);
  EXPECT_EQ(held_back_by({}), std::nullopt);
}

TEST(held_back_error, is_the_last_of_the_senders) {
  EXPECT_EQ(last_sender_error, 11);
  EXPECT_EQ(to_string(SenderError{11}),
            "held_back: the guard lets no such call through to the service now");
  EXPECT_EQ(to_string(SenderError{12}), "unknown sender error");
}

} // namespace backoff_actor::actor_test
