// What children and answers may be: of any type, late, empty, passed on, typed, nested.

#include "fixture.hpp"

#include <caf/sec.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace backoff_actor::actor_test {

class KindsOfAnswers : public SenderTest {};

// Uses a plain send, and keeps whatever comes back.
class Recorder : public compat::RequestingActor {
public:
  Recorder(caf::actor_config& config, caf::actor receiver, std::shared_ptr<Strings> received)
    : RequestingActor(config), receiver_(std::move(receiver)), received_(std::move(received)) {}

  caf::behavior make_behavior() override {
    send(receiver_, std::string{"a"});
    return complete([](std::uint64_t) {});
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void on_submission(caf::message payload, caf::response_promise) override {
    received_->push_back(to_string(payload));
  }
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  caf::actor receiver_;
  std::shared_ptr<Strings> received_;
};

TEST_F(KindsOfAnswers, an_empty_answer_is_an_acknowledgement_and_no_message_to_a_plain_client) {
  start_with([](caf::event_based_actor*) -> caf::behavior { return {[](const std::string&) {}}; });
  const auto received = std::make_shared<Strings>();
  time.keep(time.system().spawn<Recorder>(sender, received));
  time.run();

  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
  EXPECT_THAT(*received, IsEmpty());
}

TEST_F(KindsOfAnswers, messages_and_answers_may_have_any_number_of_values_of_any_type) {
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {[](std::int32_t a, std::int32_t b) -> caf::result<std::int32_t, std::string> {
      return {a + b, std::string{"sum"}};
    }};
  });
  std::int32_t sum = 0;
  const auto answer = time.ask<std::int32_t>(sender, std::int32_t{2}, std::int32_t{3});
  time.run();
  EXPECT_TRUE(answer->error) << "the client expected one value and gets CAF's unexpected_response";

  time.spawn<Caller>([&](caf::event_based_actor* self) {
    compat::request(*self, sender, std::int32_t{2}, std::int32_t{3})
      .then([&](std::int32_t x, const std::string&) { sum = x; });
  });
  time.run();
  EXPECT_EQ(sum, 5);
}

using Doubling = caf::typed_actor<compat::Signature<std::int32_t, std::int32_t>>;

class Doubler : public Doubling::base {
public:
  using Doubling::base::base;
  behavior_type make_behavior() override {
    return {[](std::int32_t x) {
      static int calls = 0;
      if (++calls == 1)
        throw std::runtime_error("not yet");
      return 2 * x;
    }};
  }
};

TEST_F(KindsOfAnswers, typed_actors_are_children_and_clients) {
  start_with(child_of<Doubler>());
  const auto typed = caf::actor_cast<Doubling>(sender);
  std::int32_t doubled = 0;
  time.spawn<Caller>([&](caf::event_based_actor* self) {
    self->request(typed, caf::infinite, std::int32_t{21}).then([&](std::int32_t x) {
      doubled = x;
    });
  });
  time.advance(10ms);

  EXPECT_EQ(doubled, 42);
  EXPECT_EQ(crashes(), 1u);
}

TEST_F(KindsOfAnswers, even_sent_is_a_message_like_any_other) {
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {[](const Sent& sent) { return std::to_string(sent.id); }};
  });

  const auto answer = time.ask<std::string>(sender, Sent{7});
  time.run();

  EXPECT_EQ(answer->value, "7");
}

TEST_F(KindsOfAnswers, a_message_that_cannot_be_moved_costs_one_answer_and_not_the_sender) {
  class Client : public caf::event_based_actor {
  public:
    Client(caf::actor_config& config, const caf::actor& receiver, bool* has_answer)
      : caf::event_based_actor(config) {
      request(receiver, caf::infinite, Fragile{7})
        .then([has_answer](std::int32_t) { *has_answer = true; },
              [has_answer](const caf::error&) { *has_answer = true; });
      Fragile::is_broken = true; // from here on, for those who have the message now
    }
  };
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {[](const Fragile& x) { return x.number; },
            [](const std::string& text) { return text; }};
  });
  bool has_answer = false;
  time.keep(time.system().spawn<Client>(sender, &has_answer));
  time.run();
  Fragile::is_broken = false;

  EXPECT_TRUE(has_answer);
  EXPECT_EQ(ask("b")->value, "b");
}

// A child may pass a delivery on to another actor, which then answers in its stead.
caf::behavior forwarder(caf::event_based_actor* self, const caf::actor& to) {
  return {[self, to](const std::string& text) { return self->delegate(to, text); }};
}

TEST_F(KindsOfAnswers, a_delegated_answer_is_an_acknowledgement) {
  const auto echo = time.keep(time.system().spawn<Echo>());
  start_with(child_of(forwarder, echo));

  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(KindsOfAnswers, a_delegate_that_is_gone_is_an_error_answer_of_the_child_that_lives) {
  const auto echo = time.keep(time.system().spawn<Echo>());
  start_with(child_of(forwarder, echo));
  time.stop(echo);
  time.run();

  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::request_receiver_down);
  EXPECT_EQ(crashes(), 0u);
}

} // namespace backoff_actor::actor_test
