// Retried requests whose caller or target ends, and what kinds of actors and answers there may be.

#include "retry_request_fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {

// -- the caller ends ----------------------------------------------------------------------

TEST_F(RetryRequest, whose_caller_ends_during_a_delay_is_not_made_again) {
  acts.assign(9, fails("no"));
  const auto got = call(Fixed{10ms}, {});
  time.advance(15ms);
  EXPECT_EQ(helpers(), 2u) << "the caller and who retries for it";

  time.stop(caf::actor_cast<caf::actor>(caller));
  time.advance(1h);

  EXPECT_THAT(asked(), ElementsAre(0ms, 10ms));
  EXPECT_FALSE(got->reply);
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(RetryRequest, whose_caller_ends_during_an_attempt_is_not_made_again) {
  acts = {answers_after(50ms, "for nobody"), answers_after(50ms, "for nobody")};
  for (const backoff_actor::Limits& limits :
       {backoff_actor::Limits{}, backoff_actor::Limits{.attempt_timeout = 20ms}}) {
    call(Fixed{10ms}, limits);
    time.advance(10ms);
    time.stop(caf::actor_cast<caf::actor>(caller));
    time.advance(1h);

    EXPECT_THAT(asked(), ElementsAre(0ms));
    EXPECT_EQ(helpers(), 0u);
  }
}

TEST_F(RetryRequest, whose_caller_ends_leaves_no_timer) {
  acts = {stays_silent()};
  call(Fixed{10ms}, {.attempt_timeout = 1h});
  EXPECT_EQ(time.timers(), 1u);

  time.stop(caf::actor_cast<caf::actor>(caller));
  time.run();

  EXPECT_EQ(time.timers(), 0u);
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(RetryRequest, keeps_a_caller_that_nobody_else_knows_until_it_has_its_reply) {
  acts = {fails("no")};
  const auto got = call(Fixed{10ms}, {});
  EXPECT_EQ(helpers(), 2u);
  time.advance(10ms);

  EXPECT_TRUE(got->reply);
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(RetryRequest, whose_reply_nobody_takes_ends_all_the_same) {
  acts = {fails("no")};
  instants.clear();
  const auto careless = time.keep(time.system().spawn<Behaving>([&](caf::event_based_actor* self) {
    retry_request(self, target, Fixed{10ms}, {}, {}, std::string{"job"});
    return caf::behavior{[](const std::string& text) { return text; }};
  }));
  time.advance(1h);

  EXPECT_EQ(instants.size(), 2u);
  EXPECT_EQ(helpers(), 1u) << "the caller is well";
  const auto answer = time.ask<std::string>(careless, std::string{"still there"});
  time.run();
  EXPECT_EQ(answer->value, "still there");
}

TEST_F(RetryRequest, leaves_nothing_with_a_caller_and_a_target_that_live_on) {
  for (const backoff_actor::Limits& limits :
       {backoff_actor::Limits{}, backoff_actor::Limits{.attempt_timeout = 1h}}) {
    acts = {fails("no")};
    time.keep(time.system().spawn<Behaving>([&](caf::event_based_actor* self) {
      retry_request(self, target, Fixed{10ms}, limits, {}, std::string{"job"})
        .then([](const RetriedReply&) {});
      return caf::behavior{[](const std::string& text) { return text; }};
    }));
    time.advance(10ms);

    const auto helper = caf::actor_cast<caf::weak_actor_ptr>(*last_sender);
    EXPECT_FALSE(helper.lock());
    EXPECT_EQ(helper->weak_refs, 2u) << "those of this test alone hold its memory";
  }
}

// -- the target ends ----------------------------------------------------------------------

TEST_F(RetryRequest, whose_target_is_gone_before_the_call_is_one_attempt) {
  time.stop(target);
  time.run();
  kept = 0;
  for (const bool retries_all : {false, true}) {
    const auto got = call(Fixed{10ms}, {}, [=](const caf::error&) { return retries_all; });

    EXPECT_EQ(outcome(got), "not_retryable after 0ns, 1 attempt");
    EXPECT_TRUE(got->reply->error == caf::sec::request_receiver_down);
    EXPECT_EQ(helpers(), 0u);
  }
}

TEST_F(RetryRequest, whose_target_crashes_of_it_is_not_made_again) {
  acts = {[](caf::event_based_actor*, std::vector<Held>&) -> caf::message {
    throw std::runtime_error("too hot");
  }};
  const auto got = call(Fixed{10ms}, {});

  EXPECT_EQ(outcome(got), "not_retryable after 0ns, 1 attempt") << "at once, not after the delay";
  EXPECT_TRUE(got->reply->error == caf::sec::request_receiver_down);
  EXPECT_THAT(error_in(got), HasSubstr("too hot"));
}

TEST_F(RetryRequest, whose_target_is_killed_during_a_delay_gives_up_at_once) {
  acts = {fails("no")};
  const auto got = call(Fixed{10ms}, {}, [](const caf::error&) { return true; });
  time.advance(5ms);
  time.stop(target);
  time.run();

  EXPECT_EQ(outcome(got), "not_retryable after 5ms, 1 attempt");
  EXPECT_TRUE(got->reply->error == caf::sec::request_receiver_down);
}

TEST_F(RetryRequest, whose_target_is_killed_while_it_owes_the_answer_gives_up_at_once) {
  for (const backoff_actor::Limits& limits :
       {backoff_actor::Limits{}, backoff_actor::Limits{.attempt_timeout = 1h}}) {
    target = spawn_target();
    acts = {stays_silent()};
    const auto got = call(Fixed{10ms}, limits, [](const caf::error&) { return true; });
    time.advance(5ms);
    time.stop(target);
    time.run();

    EXPECT_EQ(outcome(got), "not_retryable after 5ms, 1 attempt");
    EXPECT_TRUE(got->reply->error == caf::sec::request_receiver_down);
  }
}

TEST_F(RetryRequest, whose_target_answers_and_ends_is_answered) {
  acts = {[](caf::event_based_actor* self, std::vector<Held>&) {
    self->quit();
    return caf::make_message(std::string{"my last"});
  }};
  EXPECT_EQ(text_in(call(Fixed{10ms}, {})), "my last");
}

TEST_F(RetryRequest, that_was_passed_on_by_a_target_which_then_quit_is_still_answered) {
  for (const backoff_actor::Limits& limits :
       {backoff_actor::Limits{}, backoff_actor::Limits{.attempt_timeout = 1h}}) {
    acts = {answers_after(50ms, "from the worker")};
    const auto worker = target;
    target = spawn_behaving([=](caf::event_based_actor* self) {
      return caf::behavior{[=](const std::string& text) {
        self->quit();
        return self->delegate(worker, text);
      }};
    });
    const auto got = call(Fixed{10ms}, limits);
    time.advance(50ms);

    EXPECT_EQ(outcome(got), "answered after 50ms, 1 attempt");
    EXPECT_EQ(text_in(got), "from the worker");
    target = worker;
  }
}

TEST_F(RetryRequest, that_was_passed_on_and_failed_is_not_made_again_to_a_target_that_quit) {
  acts = {fails_after(50ms)};
  const auto worker = target;
  target = spawn_behaving([=](caf::event_based_actor* self) {
    return caf::behavior{[=](const std::string& text) {
      self->quit();
      return self->delegate(worker, text);
    }};
  });
  const auto got = call(Fixed{10ms}, {}, [](const caf::error&) { return true; });
  time.advance(1h);

  EXPECT_EQ(outcome(got), "not_retryable after 50ms, 1 attempt");
  EXPECT_TRUE(got->reply->error == caf::sec::runtime_error);
}

TEST_F(RetryRequest, that_the_target_forgets_does_not_wait_for_ever) {
  int calls = 0;
  target = spawn_behaving([&](caf::event_based_actor* self) {
    return caf::behavior{[&, self](const std::string&) -> caf::result<std::string> {
      if (++calls == 1)
        return caf::make_error(caf::sec::runtime_error);
      self->make_response_promise(); // and drops it
      return caf::delegated<std::string>{};
    }};
  });
  kept = 2;
  const auto got = call(Fixed{10ms}, {.max_attempts = 2});
  time.advance(10ms);

  ASSERT_TRUE(got->reply) << "without any timeout";
  EXPECT_TRUE(got->reply->gave_up);
  EXPECT_EQ(got->reply->attempts, 2u);
  EXPECT_EQ(got->at, 10ms);
  EXPECT_TRUE(compat::is_bounce(got->reply->error));
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(RetryRequest, whose_helper_is_killed_by_its_target_is_cancelled) {
  acts = {[](caf::event_based_actor* self, std::vector<Held>& owed) {
    caf::anon_send_exit(self->current_sender(), caf::exit_reason::kill);
    owed.push_back({self->make_response_promise(), {}});
    return caf::message{};
  }};
  const auto got = call(Fixed{10ms}, {.attempt_timeout = 1h});

  EXPECT_EQ(outcome(got), "cancelled after 0ns, 1 attempt");
}

TEST_F(RetryRequest, takes_nothing_for_an_answer_that_is_none) {
  std::optional<caf::error> refusal;
  target = spawn_behaving([&](caf::event_based_actor* self) {
    return caf::behavior{[&, self](const std::string& text) {
      const auto sender = caf::actor_cast<caf::actor>(self->current_sender());
      self->send(sender, std::string{"by the way"});
      self->send(sender, WakeUp{});
      self->request(sender, caf::infinite, BeginRetries{})
        .then([](const RetriedReply&) {}, [&](const caf::error& x) { refusal = x; });
      self->request(sender, caf::infinite, std::string{"are you there?"})
        .then([](const std::string&) {}, [](const caf::error&) {});
      return text + " at last";
    }};
  });
  const auto got = call(Fixed{10ms}, {.attempt_timeout = 1h});

  EXPECT_EQ(text_in(got), "job at last");
  EXPECT_TRUE(refusal);
}

// -- kinds of answers and actors ------------------------------------------------------------

TEST_F(RetryRequest, may_be_answered_with_any_number_of_elements) {
  acts = {[](caf::event_based_actor*, std::vector<Held>&) { return caf::make_message(1, 2.5); }};
  const auto two = call(Fixed{10ms}, {});
  ASSERT_TRUE((two->reply->value.match_elements<int, double>()));
  EXPECT_EQ(two->reply->value.get_as<int>(0), 1);
  EXPECT_EQ(two->reply->value.get_as<double>(1), 2.5);

  acts = {[](caf::event_based_actor*, std::vector<Held>&) { return caf::message{}; }};
  const auto none = call(Fixed{10ms}, {});
  EXPECT_EQ(outcome(none), "answered after 0ns, 1 attempt");
  EXPECT_TRUE(none->reply->value.empty());
}

TEST_F(RetryRequest, may_be_made_of_several_values_and_of_a_literal) {
  target = spawn_behaving([](caf::event_based_actor*) {
    return caf::behavior{
      [](const std::string& text, int count) { return text + " " + std::to_string(count); },
      [](const std::string& text) { return text; },
    };
  });
  EXPECT_EQ(text_in(call_with(Fixed{10ms}, {}, {}, "a literal", 2)), "a literal 2");
  EXPECT_EQ(text_in(call_with(Fixed{10ms}, {}, {}, "alone")), "alone");
}

using TypedEcho = caf::typed_actor<compat::Signature<std::string, std::string>>;

class TypedTarget : public TypedEcho::base {
public:
  explicit TypedTarget(caf::actor_config& config) : TypedEcho::base(config) {}

  behavior_type make_behavior() override {
    return {[this](const std::string& text) -> caf::result<std::string> {
      if (++asked_ == 1)
        return caf::make_error(caf::sec::runtime_error);
      return text + " typed";
    }};
  }

private:
  int asked_ = 0;
};

class TypedCaller : public TypedEcho::base {
public:
  TypedCaller(caf::actor_config& config, TypedEcho target)
    : TypedEcho::base(config), target_(std::move(target)) {}

  behavior_type make_behavior() override {
    return {[this](const std::string& text) -> caf::result<std::string> {
      auto client = make_response_promise<std::string>();
      retry_request(this, target_, Fixed{10ms}, {}, {}, text)
        .await([client](const RetriedReply& reply) mutable {
          client.deliver(reply.value.get_as<std::string>(0));
        });
      return client;
    }};
  }

private:
  TypedEcho target_;
};

TEST_F(RetryRequest, works_between_typed_actors) {
  const auto typed_target = time.system().spawn<TypedTarget>();
  const auto typed_caller = time.system().spawn<TypedCaller>(typed_target);
  time.keep(caf::actor_cast<caf::actor>(typed_target));
  const auto got =
    time.ask<std::string>(time.keep(caf::actor_cast<caf::actor>(typed_caller)), "job");
  time.advance(10ms);

  EXPECT_EQ(got->value, "job typed");
}

TEST_F(RetryRequest, takes_the_pointer_that_a_typed_actor_made_of_a_function_has) {
  std::string answer;
  const auto typed_caller = time.system().spawn(
    [&answer](TypedEcho::pointer self, const caf::actor& whom) -> TypedEcho::behavior_type {
      retry_request(self, whom, Fixed{10ms}, {}, {}, "job")
        .then(
          [&answer](const RetriedReply& reply) { answer = reply.value.get_as<std::string>(0); });
      return {[](const std::string& text) -> caf::result<std::string> { return text; }};
    },
    target);
  time.keep(caf::actor_cast<caf::actor>(typed_caller));
  time.run();

  EXPECT_EQ(answer, "job done");
}

TEST_F(RetryRequest, may_be_made_to_a_sender_that_guards_a_worker) {
  DangerousActor danger{{{testing::crash(), testing::error(), testing::error("busy", 1s)}}};
  SenderOptions options;
  options.seed = 72451; // its first wait is 10 ms
  options.stream = 0;
  target = time.keep(spawn_back_off_sender(time.system(), danger.factory(), options));
  const auto got = call(Fixed{100ms}, {});
  time.advance(1h);

  EXPECT_EQ(outcome(got), "answered after 1.11s, 2 attempts")
    << "the crash costs 10 ms, the error an attempt, and the wish is the sender's business";
}

TEST_F(RetryRequest, hundreds_from_one_caller_do_not_meet) {
  acts.assign(500, fails("no"));
  std::vector<std::string> answers;
  time.system().spawn<Caller>([&](caf::event_based_actor* self) {
    for (int i = 0; i < 500; ++i)
      retry_request(self, target, Fixed{10ms}, {.attempt_timeout = 1s}, {}, std::to_string(i))
        .then([&, i](const RetriedReply& reply) {
          if (reply.attempts == 2
              && reply.value.get_as<std::string>(0) == std::to_string(i) + " done")
            answers.push_back(reply.value.get_as<std::string>(0));
        });
  });
  time.advance(10ms);

  EXPECT_EQ(answers.size(), 500u);
  EXPECT_EQ(time.timers(), 0u);
  EXPECT_EQ(helpers(), 0u);
}

} // namespace backoff_actor::actor_test
