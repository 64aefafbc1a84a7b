// Submit: a message with more to say about it.

#include "fixture.hpp"

#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

class Submission : public SenderTest {
protected:
  std::shared_ptr<testing::Answer<Accepted>> submit_and_forget(const std::string& text) {
    auto answer = time.ask<Accepted>(
      sender, Submit{.message = caf::make_message(text), .answer_when_accepted = true});
    time.run();
    return answer;
  }

  std::shared_ptr<testing::Answer<std::string>> submit_with_key(const std::string& text,
                                                                const std::string& key) {
    return submit(text, {.key = key});
  }

  // A child that crashes whenever it is given "poison", and otherwise says the same.
  static caf::behavior allergic(caf::event_based_actor*) {
    return {[](const std::string& text) {
      if (text == "poison")
        throw std::runtime_error("poisoned");
      return text;
    }};
  }
};

TEST_F(Submission, is_answered_as_the_bare_message_would_be) {
  start({{testing::crash()}});

  const auto answer = submit("a");
  time.advance(10ms);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.texts(), (Strings{"a", "a"}));
}

TEST_F(Submission, carries_even_the_senders_own_words_to_the_child) {
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {[](const Pause&) { return std::string{"paused the child"}; }};
  });

  const auto answer = time.ask<std::string>(sender, Submit{.message = caf::make_message(Pause{})});
  time.run();

  EXPECT_EQ(answer->value, "paused the child");
  EXPECT_FALSE(status().is_paused);
}

TEST_F(Submission, of_an_empty_message_is_a_message_like_any_other) {
  start({});

  const auto answer = time.ask<std::string>(sender, Submit{});
  time.run();

  EXPECT_TRUE(answer->error) << "the child does not understand it";
  EXPECT_EQ(status().counters.dead_lettered, 1u);
}

// -- answered when accepted ------------------------------------------------------------------

TEST_F(Submission, is_answered_when_it_is_accepted_on_request) {
  start({{testing::silence(), testing::error()}});

  const auto a = submit_and_forget("a");
  const auto b = submit_and_forget("b");

  ASSERT_TRUE(a->value);
  EXPECT_EQ(a->value->id, 1u);
  ASSERT_TRUE(b->value);
  EXPECT_EQ(b->value->id, 2u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 1u) << "of which nobody is told";
}

TEST_F(Submission, that_was_answered_when_accepted_is_answered_once_even_to_plain_sends) {
  // Sends two submissions plainly, and keeps whatever comes back.
  class Hasty : public compat::RequestingActor {
  public:
    Hasty(caf::actor_config& config, const caf::actor& receiver, std::shared_ptr<Strings> received)
      : RequestingActor(config), received_(std::move(received)) {
      for (const std::string text : {"a", "b"})
        send(receiver, Submit{.message = caf::make_message(text), .answer_when_accepted = true});
    }
    caf::behavior make_behavior() override {
      return complete([this](const Accepted& x) { received_->push_back(std::to_string(x.id)); });
    }

  private:
    void on_submission(caf::message payload, caf::response_promise) override {
      received_->push_back(to_string(payload));
    }
    void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
    void on_down(const caf::actor_addr&, const caf::error&) override {}

    std::shared_ptr<Strings> received_;
  };
  start({{testing::ok(), testing::error()}});
  const auto received = std::make_shared<Strings>();
  time.keep(time.system().spawn<Hasty>(sender, received));
  time.run();

  EXPECT_EQ(status().counters.acknowledged, 1u);
  EXPECT_THAT(*received, ElementsAre("1", "2"));
}

TEST_F(Submission, that_is_accepted_and_dropped_was_accepted) {
  auto options = default_options();
  options.capacity = 1;
  options.rare.overflow = Overflow::drop_newest;
  start({{testing::silence()}}, options);
  submit_and_forget("a");

  const auto dropped = submit_and_forget("b");

  ASSERT_TRUE(dropped->value);
  EXPECT_EQ(dropped->value->id, 2u);
}

TEST_F(Submission, that_was_answered_when_accepted_still_names_its_client_to_the_child) {
  caf::actor client;
  start_hand_made([&](auto*, const TrackedMsg& delivery) {
    client = delivery.client;
    return caf::make_message(sent(delivery));
  });
  submit_and_forget("a");

  EXPECT_TRUE(client);
  client = nullptr;
}

// -- keys ------------------------------------------------------------------------------------

TEST_F(Submission, per_key_a_poisoned_one_holds_up_its_own_key_alone) {
  auto options = default_options();
  options.ordering = Ordering::per_key;
  options.max_attempts = 10;
  options.charging = Charging::every_failure();
  start_with(allergic, options);
  tell(Pause{});
  const auto poison = submit_with_key("poison", "red");
  const auto behind = submit_with_key("behind", "red");
  const auto other = submit_with_key("other", "green");
  const auto third = submit_with_key("third", "green");
  const auto keyless = submit("keyless");
  tell(Resume{});
  while (!keyless->is_ready() || !other->is_ready() || !third->is_ready())
    time.advance(10ms);
  EXPECT_FALSE(poison->is_ready());
  EXPECT_FALSE(behind->is_ready());
  time.advance(1h);

  EXPECT_TRUE(poison->error);
  EXPECT_EQ(behind->value, "behind");
  EXPECT_EQ(crashes(), 10u);
  EXPECT_THAT(acknowledged(), ::testing::UnorderedElementsAre(2, 3, 4, 5));
}

TEST_F(Submission, the_key_may_be_read_from_the_message) {
  auto options = default_options();
  options.ordering = Ordering::per_key;
  options.rare.key_of = [](const caf::message& message) {
    return message.get_as<std::string>(0).substr(0, 1);
  };
  start({testing::times(3, testing::silence())}, options);
  ask("red");
  ask("rose");
  ask("green");
  submit_with_key("ruby", "jewels");

  EXPECT_EQ(danger.texts(), (Strings{"red", "green", "ruby"}));
}

TEST_F(Submission, a_message_whose_key_cannot_be_read_is_refused_with_what_the_reader_said) {
  auto options = default_options();
  options.ordering = Ordering::per_key;
  options.rare.key_of = [](const caf::message& message) -> std::string {
    if (message.get_as<std::string>(0) == "smudge")
      throw std::runtime_error("illegible");
    return "key";
  };
  start({}, options);

  const auto smudge = ask("smudge");

  ASSERT_TRUE(smudge->error);
  EXPECT_EQ(*smudge->error, caf::sec::runtime_error);
  EXPECT_THAT(text_of(smudge->error), ::testing::HasSubstr("illegible"));
  EXPECT_EQ(submit_with_key("smudge", "ink")->value, "smudge") << "it need not be read";
  EXPECT_EQ(ask("a")->value, "a");
}

} // namespace backoff_actor::actor_test
