// `guarded`: calls that are not answered, and the ends of the actor and its target.

#include "guarded_fixture.hpp"

#include <caf/actor_registry.hpp>

namespace backoff_actor::actor_test {

// -- calls without an answer -------------------------------------------------------

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

// -- ends --------------------------------------------------------------------------

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

TEST_F(Guarded, the_last_error_of_a_target_that_quits_is_its_answer) {
  service = time.keep(time.system().spawn<Behaving>([](caf::event_based_actor* self) {
    return caf::behavior{[=](const std::string&) -> caf::result<std::string> {
      self->quit();
      return caf::make_error(caf::sec::runtime_error, std::string{"closed for today"});
    }};
  }));
  front = time.keep(guarded(service, guard));
  const auto reason = watch(front);
  EXPECT_THAT(got(ask("ok")), HasSubstr("closed for today"));
  EXPECT_TRUE(*reason);
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

} // namespace backoff_actor::actor_test
