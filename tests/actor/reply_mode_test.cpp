// Acknowledgement by reply: any ordinary actor is the child, unchanged.

#include "fixture.hpp"

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
  start({{testing::crash(), testing::answer()}});
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
  EXPECT_EQ(danger.seen(), (std::vector<Danger::Seen>{{1, "a"}, {2, "a"}}));
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

TEST_F(ReplyMode, those_behind_the_one_that_crashed_the_child_are_resent_in_order) {
  start({{testing::answer(), testing::crash()}});
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
  for (const auto* text : {"a", "b", "c", "d"})
    answers.push_back(time.ask<std::string>(sender, std::string{text}));
  time.advance(10ms);

  for (const auto& answer : answers)
    EXPECT_TRUE(answer->value);
  EXPECT_EQ(danger.texts(), (Strings{"a", "b", "b", "c", "d"}));
  EXPECT_EQ(crashes(), 1u);
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

// -- kinds of answers --------------------------------------------------------------------

TEST_F(ReplyMode, a_child_may_answer_later) {
  start({{testing::answer_later(2s)}});

  const auto answer = ask("a");
  time.advance(1999ms);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ms);

  EXPECT_EQ(answer->value, "a");
}

TEST_F(ReplyMode, a_later_answer_that_dies_with_its_child_is_made_good_by_the_next) {
  start({{testing::answer_later(2s), testing::crash()}});
  const auto a = time.ask<std::string>(sender, std::string{"a"});
  const auto b = time.ask<std::string>(sender, std::string{"b"});
  time.advance(1s);

  EXPECT_EQ(a->value, "a");
  EXPECT_EQ(b->value, "b");
  EXPECT_EQ(danger.texts(), (Strings{"a", "b", "a", "b"}));
}

class Wordless : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string&) {}};
  }
};

TEST_F(ReplyMode, an_empty_answer_is_an_acknowledgement) {
  start_with(child_of<Wordless>());
  const auto received = std::make_shared<Strings>();
  const auto client = plain_client(received);

  time.tell(client, std::uint64_t{7});
  time.run();

  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
  EXPECT_THAT(*received, IsEmpty());
}

class Adder : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](std::int32_t a, std::int32_t b) -> caf::result<std::int32_t, std::string> {
      return {a + b, std::string{"sum"}};
    }};
  }
};

TEST_F(ReplyMode, messages_and_answers_may_have_any_number_of_values_of_any_type) {
  start_with(child_of<Adder>());
  std::int32_t sum = 0;
  const auto answer = time.ask<std::int32_t>(sender, std::int32_t{2}, std::int32_t{3});
  time.run();
  EXPECT_TRUE(answer->error) << "the client expected one value and gets CAF's unexpected_response";

  class Client : public caf::event_based_actor {
  public:
    Client(caf::actor_config& config, const caf::actor& adder, std::int32_t& result)
      : caf::event_based_actor(config) {
      request(adder, caf::infinite, std::int32_t{2}, std::int32_t{3})
        .then([&result](std::int32_t x, const std::string&) { result = x; });
    }
  };
  time.keep(time.system().spawn<Client>(sender, sum));
  time.run();
  EXPECT_EQ(sum, 5);
}

// A child may pass a delivery on to another actor, which then answers in its stead.
class Forwarder : public caf::event_based_actor {
public:
  Forwarder(caf::actor_config& config, caf::actor to)
    : caf::event_based_actor(config), to_(std::move(to)) {}
  caf::behavior make_behavior() override {
    return {[this](const std::string& text) { return delegate(to_, text); }};
  }

private:
  caf::actor to_;
};

TEST_F(ReplyMode, a_delegated_answer_is_an_acknowledgement) {
  const auto echo = time.keep(time.system().spawn<Echo>());
  start_with(child_of<Forwarder>(echo));

  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(ReplyMode, a_delegate_that_is_gone_is_an_error_answer_of_the_child_that_lives) {
  const auto echo = time.keep(time.system().spawn<Echo>());
  start_with(child_of<Forwarder>(echo));
  time.stop(echo);
  time.run();

  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::request_receiver_down);
  EXPECT_EQ(crashes(), 0u);
}

TEST_F(ReplyMode, a_sender_may_be_the_child_of_a_sender) {
  Danger inner{{{testing::crash()}}};
  start_with([&](caf::event_based_actor* self) {
    return spawn_back_off_sender(self->system(), inner.factory(), default_options());
  });

  const auto answer = ask("a");
  time.advance(10ms);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(crashes(), 0u) << "of the outer sender's child";
  EXPECT_EQ(inner.started(), 2u);
}

} // namespace backoff_actor::actor_test
