// Acknowledgement by reply: any ordinary actor is the child, unchanged.

#include "fixture.hpp"

#include <backoff_actor/caf/messages/internal/error_parts.hpp>

#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

class ReplyMode : public SenderTest {};

TEST_F(ReplyMode, the_childs_answer_reaches_the_client_that_made_a_request) {
  start({});

  const auto answer = ask("a");

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
}

TEST_F(ReplyMode, the_childs_answer_reaches_the_client_that_used_a_plain_send) {
  start({{testing::crash(), testing::ok()}});
  const auto received = std::make_shared<Strings>();
  const auto client = plain_client(received);

  time.tell(client, std::uint64_t{7});
  time.advance(10ms);

  EXPECT_THAT(*received, ElementsAre("7"));
}

TEST_F(ReplyMode, an_anonymous_message_is_delivered_too) {
  start({{testing::crash()}});

  time.tell(sender, std::string{"a"});
  time.advance(10ms);

  EXPECT_EQ(danger.texts(), (Strings{"a", "a"}));
  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
}

// -- error answer or crash ------------------------------------------------------------

TEST_F(ReplyMode, an_error_answer_goes_to_the_client_and_the_child_lives_on) {
  start({{testing::error("bad input")}});

  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::invalid_argument);
  EXPECT_EQ(danger.started(), 1u);
  EXPECT_EQ(danger.alive(), 1u);
  EXPECT_EQ(retries(), 0u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 1u);
}

TEST_F(ReplyMode, even_the_error_of_a_crash_is_an_answer_if_the_child_lives) {
  start({{testing::crash_like_error()}});

  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::runtime_error);
  EXPECT_EQ(danger.started(), 1u);
  EXPECT_EQ(retries(), 0u);
}

TEST_F(ReplyMode, a_crash_never_reaches_the_client_and_its_delivery_is_resent) {
  start({{testing::crash()}});

  const auto answer = ask("a");
  EXPECT_FALSE(answer->is_ready()) << "CAF has sent an error for the crash already";
  EXPECT_EQ(crashes(), 1u);
  time.advance(10ms);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.seen(), (std::vector<DangerousActor::Seen>{{1, "a"}, {2, "a"}}));
}

TEST_F(ReplyMode, an_error_answer_before_a_crash_with_another_delivery_is_still_an_answer) {
  start({{testing::error("bad input"), testing::crash()}});
  const auto a = time.ask<std::string>(sender, std::string{"a"});
  const auto b = time.ask<std::string>(sender, std::string{"b"});
  time.advance(10ms);

  ASSERT_TRUE(a->error);
  EXPECT_EQ(*a->error, caf::sec::invalid_argument);
  EXPECT_EQ(b->value, "b");
  EXPECT_EQ(danger.texts(), (Strings{"a", "b", "b"}));
}

TEST_F(ReplyMode, a_client_that_used_a_plain_send_gets_no_bare_error) {
  start({{testing::error()}});
  const auto received = std::make_shared<Strings>();
  const auto client = plain_client(received);

  time.tell(client, std::uint64_t{1});
  time.run();
  time.tell(client, std::uint64_t{2});
  time.run();

  EXPECT_THAT(*received, ElementsAre("2")) << "a bare error would have ended the client";
}

TEST_F(ReplyMode, a_message_that_the_child_does_not_understand_is_answered_with_an_error) {
  start({});

  const auto answer = time.ask<std::string>(sender, 3.14);
  time.run();

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::unexpected_message);
  EXPECT_EQ(danger.started(), 1u);
}

// Keeps the promise of every text, and answers all of them with an error when it ends, however it
// ends.
class Tidy : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    compat::keep_cause(*this);
    return {[this](const std::string& text) -> caf::result<std::string> {
      static int crashes = 0;
      if (text == "crash" && ++crashes == 1)
        throw std::runtime_error("crash");
      if (crashes > 0)
        return text;
      promises_.push_back(make_response_promise());
      return caf::delegated<std::string>{};
    }};
  }

  void on_exit() override {
    for (auto& promise : promises_)
      promise.deliver(caf::make_error(caf::sec::invalid_argument));
    promises_.clear();
  }

private:
  std::vector<caf::response_promise> promises_;
};

TEST_F(ReplyMode, what_a_dying_child_answers_while_it_tidies_up_reaches_nobody) {
  start_with(child_of<Tidy>());
  const auto a = time.ask<std::string>(sender, std::string{"a"});
  const auto b = time.ask<std::string>(sender, std::string{"crash"});
  time.run();
  EXPECT_EQ(crashes(), 1u);
  EXPECT_FALSE(a->is_ready());
  EXPECT_FALSE(b->is_ready());
  time.advance(10ms);

  EXPECT_EQ(a->value, "a");
  EXPECT_EQ(b->value, "crash");
}

TEST_F(ReplyMode, the_clients_of_a_nested_sender_that_is_killed_learn_nothing_of_it) {
  DangerousActor inner{{testing::times(3, testing::silence())}};
  caf::actor_addr child;
  start_with([&](caf::event_based_actor* self) {
    auto result = spawn_back_off_sender(self->system(), inner.factory(), default_options());
    child = result.address();
    return result;
  });
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
  for (const auto* text : {"a", "b", "c"})
    answers.push_back(ask(text));
  caf::anon_send_exit(child, caf::exit_reason::kill);
  time.advance(10ms);

  for (const auto& answer : answers)
    EXPECT_TRUE(answer->value);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(ReplyMode, causes_of_different_kinds_are_different_even_with_the_same_number) {
  const auto code = [&](const caf::error& error) {
    return compat::cause_of(time.system(), error, false).code;
  };
  EXPECT_EQ(code(caf::sec::runtime_error), code(caf::sec::runtime_error));
  EXPECT_NE(code(static_cast<caf::sec>(1)), code(static_cast<caf::exit_reason>(1)));
  EXPECT_NE(code(caf::sec::runtime_error), code(caf::sec::invalid_argument));
  EXPECT_EQ(code(caf::error{}), 0u);
}

// Says once that it is busy, answers "a", and keeps the others waiting.
class BusyOnce : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](const std::string& text) -> caf::result<caf::message> {
      if (!std::exchange(has_been_busy_, true))
        return retry_after(caf::sec::runtime_error, 2s, "busy");
      if (text == "a")
        return caf::make_message(text);
      owed_.push_back(make_response_promise());
      return caf::delegated<caf::message>{};
    }};
  }

  void on_exit() override { owed_.clear(); }

private:
  bool has_been_busy_ = false;
  std::vector<caf::response_promise> owed_;
};

TEST_F(ReplyMode, a_child_that_was_busy_once_is_given_one_at_a_time_from_then_on) {
  start_with(child_of<BusyOnce>());
  const auto answer = ask("a");
  time.advance(2s);
  EXPECT_EQ(answer->value, "a");

  ask("b");
  ask("c");

  EXPECT_EQ(status().in_flight, 1u);
}

} // namespace backoff_actor::actor_test
