// Messages that wait beside the mailbox of a sender, behind one that is in it.

#include "batches.hpp"

#include "fragile.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

namespace backoff_actor::actor_test {

namespace {

// Answers, and throws over the second message.
class ThrowsInBatch : public compat::RequestingActor {
public:
  explicit ThrowsInBatch(caf::actor_config& config)
    : RequestingActor(config, compat::TakesWords{}) {}

  caf::behavior make_behavior() override { return complete_with_words(); }

private:
  void on_message(caf::message&& payload) override {
    if (++taken_ == 2)
      throw std::runtime_error("the second");
    auto client = open_request();
    answer_request(client, std::move(payload));
  }
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  int taken_ = 0;
};

} // namespace

TEST_F(Batches, are_handed_over_in_order_and_all_answered) {
  start_with(child_of<BatchScribe>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "c", "d", "e"})
      request(self, std::string{text});
  });
  time.run();

  EXPECT_THAT(*given, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(*answers, ElementsAre("a", "b", "c", "d", "e"));
}

namespace {

// Changes what it is given, and then crashes of "crash", once.
class Scribbler : public caf::event_based_actor {
public:
  Scribbler(caf::actor_config& config, std::shared_ptr<Strings> given)
    : caf::event_based_actor(config), given_(std::move(given)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](std::string& text) {
      const auto crashes = text == "crash" && !std::exchange(has_crashed, true);
      given_->push_back(std::exchange(text, "changed"));
      if (crashes)
        throw std::runtime_error("crash");
      return given_->back();
    }};
  }

  static bool has_crashed;

private:
  std::shared_ptr<Strings> given_;
};

bool Scribbler::has_crashed = false;

} // namespace

TEST_F(Batches, are_handed_over_again_as_they_came_whatever_the_child_did_to_them) {
  Scribbler::has_crashed = false;
  start_with(child_of<Scribbler>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "crash", "c"})
      request(self, std::string{text});
  });
  time.advance(1h);

  EXPECT_THAT(*given, ElementsAre("a", "b", "crash", "crash", "c"));
  EXPECT_THAT(*answers, ElementsAre("a", "b", "crash", "c"));
}

TEST_F(Batches, of_messages_of_any_kind_are_handed_over_whole) {
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {
      [](const std::string& text) { return "one " + text; },
      [](const std::string& text, std::int32_t number) {
        return "two " + text + std::to_string(number);
      },
      [](std::int32_t a, std::int32_t b, const std::string& text) {
        return "three " + std::to_string(a - b) + text;
      },
    };
  });
  time.run();

  at_once([this](caf::event_based_actor* self) {
    request(self, std::string{"a"});
    request(self, std::string{"b"});
    request(self, std::string{"c"}, std::int32_t{5});
    request(self, caf::make_message(std::string{"d"}, std::int32_t{6})); // is a message already
    request(self, std::int32_t{9}, std::int32_t{2}, std::string{"e"});
  });
  time.run();

  EXPECT_THAT(*answers, ElementsAre("one a", "one b", "two c5", "two d6", "three 7e"));
}

TEST_F(Batches, that_are_handed_over_at_once_are_not_copied) {
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {[](const Fragile& x) { return std::to_string(x.number); }};
  });
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (int number = 1; number <= 10; ++number)
      request(self, Fragile{number});
    Fragile::copies = 0; // from here on
  });
  time.run();

  EXPECT_THAT(*answers, ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_LE(Fragile::copies, 2) << "those of the first, which waited in CAF's mailbox";
}

TEST_F(Batches, that_are_given_up_are_messages_as_any_other) {
  std::vector<DeadLetter> letters;
  auto options = default_options();
  options.on_dead_letter = [&](const DeadLetter& letter) { letters.push_back(letter); };
  start({testing::times(3, {testing::error("no")})}, options);
  time.run();

  at_once([this](caf::event_based_actor* self) {
    request(self, std::string{"a"});
    request(self, std::string{"b"});
    request(self, caf::make_message(std::string{"c"}));
  });
  time.run();

  ASSERT_EQ(letters.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string text(1, "abc"[i]);
    const auto& letter = letters[i].message;
    const auto made = caf::make_message(text);
    EXPECT_EQ(letter.get_as<std::string>(0), text);
    EXPECT_EQ(to_string(letter), to_string(made));
    EXPECT_EQ(compat::serialized_size(time.system(), letter),
              compat::serialized_size(time.system(), made));
    auto copy = letter;
    copy.get_mutable_as<std::string>(0) = "changed";
    EXPECT_EQ(copy.get_as<std::string>(0), "changed");
    EXPECT_EQ(letter.get_as<std::string>(0), text);
  }
}

TEST_F(Batches, that_are_done_hold_the_sender_no_longer) {
  auto options = default_options();
  options.on_event = log.hook();
  sender = spawn_back_off_sender(time.system(), child_of<BatchScribe>(given), options);
  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "c"})
      request(self, std::string{text});
  });
  time.run();
  EXPECT_EQ(log.count<event::SenderStopped>(), 0u);

  sender = nullptr;
  time.run();

  EXPECT_THAT(*answers, ElementsAre("a", "b", "c"));
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

TEST_F(Batches, are_refused_if_the_sender_is_killed_before_it_came_to_them) {
  start_with(child_of<BatchScribe>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "c"})
      request(self, std::string{text});
    compat::send_exit_now(sender, self->address(), caf::exit_reason::kill);
  });
  time.run();

  EXPECT_THAT(*given, IsEmpty());
  EXPECT_THAT(*answers, ElementsAre("gone", "gone", "gone"));
}

TEST_F(Batches, are_refused_behind_what_ends_the_sender) {
  auto options = default_options();
  options.rare.child_start = FirstStart::on_first_use; // so that there is none to wait for
  start_with(child_of<BatchScribe>(given), options);
  time.run();

  at_once([this](caf::event_based_actor* self) {
    self->send(sender, Stop{});
    request(self, std::string{"a"});
    request(self, std::string{"b"});
  });
  time.run();

  EXPECT_THAT(*given, IsEmpty());
  EXPECT_THAT(*answers, ElementsAre("gone", "gone"));
}

TEST_F(Batches, in_which_something_is_thrown_are_answered_to_the_end) {
  sender = time.keep(time.system().spawn<ThrowsInBatch>());
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "c", "d"})
      request(self, std::string{text});
  });
  time.run();

  EXPECT_EQ(answers->at(0), "a");
  EXPECT_NE(answers->at(1), "nothing");
  EXPECT_NE(answers->at(2), "nothing");
  EXPECT_NE(answers->at(3), "nothing");
}

TEST_F(Batches, with_the_last_handle_to_another_sender_go_on_when_that_ends_with_its_message) {
  auto options = default_options();
  options.max_in_flight = 1;
  start_with(
    [](caf::event_based_actor* self) -> caf::actor {
      return self->spawn<Behaving>([](caf::event_based_actor*) -> caf::behavior {
        return {[](const std::string& text) { return text; },
                [](const caf::actor&, const std::string& text) { return text; }};
      });
    },
    options);
  const auto ended = std::make_shared<int>(0);
  auto of_other = default_options();
  of_other.on_event = [ended](const Event& event) {
    if (std::holds_alternative<event::SenderStopped>(event))
      ++*ended;
  };
  auto other = spawn_back_off_sender(time.system(), child_of<BatchScribe>(given), of_other);
  time.run();

  // The other ends in the middle of a step, after which the next message is handed over.
  at_once([this, handle = std::move(other)](caf::event_based_actor* self) {
    request(self, handle, std::string{"a"});
    request(self, std::string{"b"});
  });
  time.run();

  EXPECT_EQ(*ended, 1);
  EXPECT_THAT(*answers, ElementsAre("a", "b"));
}

} // namespace backoff_actor::actor_test
