// Messages that wait beside the mailbox of a sender, behind one that is in it.

#include "fixture.hpp"

#include <backoff_actor/caf/message_batch.hpp>

#include <caf/actor_cast.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/sec.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {

// -- the messages themselves -----------------------------------------------------------

namespace {

// A message with a number for its id, as each version of CAF makes it.
template <class Element = caf::mailbox_element>
caf::mailbox_element_ptr numbered(std::uint64_t number) {
  const auto make = [number](auto... stages) {
    return caf::make_mailbox_element(nullptr, caf::make_message_id(number), stages..., WakeUp{});
  };
  if constexpr (requires { typename Element::forwarding_stack; })
    return make(typename Element::forwarding_stack{});
  else
    return make();
}

bool put(seam::MessageBatch& batch, std::uint64_t number, bool may_be_first = true) {
  auto message = numbered(number);
  return batch.put(message, may_be_first);
}

std::vector<std::uint64_t> numbers_in(seam::MessageBatch::List list) {
  std::vector<std::uint64_t> result;
  while (const auto message = list.pop())
    result.push_back(message->mid.request_id().integer_value());
  return result;
}

} // namespace

// CAF 1.x makes messages only when their types have been registered.
class MessageBatches : public SenderTest {};

TEST_F(MessageBatches, have_all_but_the_first_in_order) {
  seam::MessageBatch batch;

  EXPECT_FALSE(put(batch, 1)) << "it is for the mailbox";
  EXPECT_TRUE(put(batch, 2));
  EXPECT_TRUE(put(batch, 3));
  EXPECT_TRUE(put(batch, 4));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(2, 3, 4));
}

TEST_F(MessageBatches, begin_anew_when_they_were_taken) {
  seam::MessageBatch batch;
  put(batch, 1);
  EXPECT_THAT(numbers_in(batch.take()), IsEmpty());

  EXPECT_FALSE(put(batch, 2));
  EXPECT_TRUE(put(batch, 3));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(3));
}

TEST_F(MessageBatches, do_not_begin_with_one_that_is_no_first) {
  seam::MessageBatch batch;
  EXPECT_FALSE(put(batch, 1, false));
  EXPECT_FALSE(put(batch, 2)) << "it is the first";
  EXPECT_TRUE(put(batch, 3, false));

  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(3));
}

TEST_F(MessageBatches, take_nothing_once_they_have_ended) {
  seam::MessageBatch batch;
  put(batch, 1);
  put(batch, 2);

  EXPECT_THAT(numbers_in(batch.end()), ElementsAre(2));

  EXPECT_FALSE(put(batch, 3));
  EXPECT_FALSE(put(batch, 4));
  EXPECT_THAT(numbers_in(batch.end()), IsEmpty());
}

// -- a sender's ------------------------------------------------------------------------

namespace {

// Keeps what it is given, and answers with it; dies of "crash", and quits when it is told to.
class BatchScribe : public caf::event_based_actor {
public:
  BatchScribe(caf::actor_config& config, std::shared_ptr<Strings> given)
    : caf::event_based_actor(config), given_(std::move(given)) {
    seam::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
      given_->push_back(text);
      if (text == "crash" && given_->size() < 3)
        throw std::runtime_error("crash");
      if (text == "quit")
        quit();
      return text;
    }};
  }

private:
  std::shared_ptr<Strings> given_;
};

} // namespace

namespace {

// Answers, and throws over the second message.
class ThrowsInBatch : public seam::RequestingActor {
public:
  explicit ThrowsInBatch(caf::actor_config& config) : RequestingActor(config, seam::TakesWords{}) {}

  caf::behavior make_behavior() override { return complete_with_words(); }

private:
  void on_message(caf::message&& payload) override {
    if (++taken_ == 2)
      throw std::runtime_error("the second");
    auto client = open_request();
    answer(client, std::move(payload));
  }
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  int taken_ = 0;
};

} // namespace

class Batches : public SenderTest {
protected:
  // Does all of it before the sender gets the floor.
  void at_once(Caller::Work work) { time.spawn<Caller>(std::move(work)); }

  // Notes what comes back for a request.
  template <class... Ts>
  void request(caf::event_based_actor* self, Ts... content) {
    const auto place = answers->size();
    answers->emplace_back("nothing");
    seam::request(*self, sender, std::move(content)...)
      .then([answers = answers, place](const std::string& text) { (*answers)[place] = text; },
            [answers = answers, place](const caf::error& error) {
              (*answers)[place] = error == caf::sec::request_receiver_down    ? "gone"
                                  : error == make_error(SenderError::stopped) ? "stopped"
                                                                              : "an error";
            });
  }

  std::shared_ptr<Strings> given = std::make_shared<Strings>();
  std::shared_ptr<Strings> answers = std::make_shared<Strings>();
};

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

TEST_F(Batches, with_a_crash_among_their_answers_lose_nothing) {
  start_with(child_of<BatchScribe>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "crash", "c"})
      request(self, std::string{text});
  });
  time.advance(1h);

  EXPECT_THAT(*given, ElementsAre("a", "crash", "crash", "c"));
  EXPECT_THAT(*answers, ElementsAre("a", "crash", "c"));
}

namespace {

// Changes what it is given, and then crashes of "crash", once.
class Scribbler : public caf::event_based_actor {
public:
  Scribbler(caf::actor_config& config, std::shared_ptr<Strings> given)
    : caf::event_based_actor(config), given_(std::move(given)) {
    seam::keep_cause(*this);
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
  start_with([](caf::event_based_actor* self) -> caf::actor {
    return self->spawn<Behaving>([](caf::event_based_actor*) -> caf::behavior {
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
  start_with([](caf::event_based_actor* self) -> caf::actor {
    return self->spawn<Behaving>([](caf::event_based_actor*) -> caf::behavior {
      return {[](const Fragile& x) { return std::to_string(x.number); }};
    });
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
    EXPECT_EQ(seam::serialized_size(time.system(), letter),
              seam::serialized_size(time.system(), made));
    auto copy = letter;
    copy.get_mutable_as<std::string>(0) = "changed";
    EXPECT_EQ(copy.get_as<std::string>(0), "changed");
    EXPECT_EQ(letter.get_as<std::string>(0), text);
  }
}

TEST_F(Batches, keep_the_order_of_messages_that_begin_like_those_of_caf_and_are_none) {
  start_with([given = given](caf::event_based_actor* self) -> caf::actor {
    return self->spawn<Behaving>([given](caf::event_based_actor* worker) -> caf::behavior {
      return {
        [=](const std::string& text) { given->push_back(text); },
        [=](caf::ok_atom, caf::get_atom, const std::string& text) { given->push_back(text); },
        [=](const caf::actor& whom, const std::string& text) {
          given->push_back(whom == worker ? "nobody" : text);
        },
      };
    });
  });
  time.run();

  at_once([this](caf::event_based_actor* self) {
    self->send(sender, std::string{"1"});
    self->send(sender, caf::ok_atom_v, caf::get_atom_v, std::string{"2"});
    self->send(sender, std::string{"3"});
    self->send(sender, sender, std::string{"4"});
    self->send(sender, std::string{"5"});
    self->send(sender, caf::ok_atom_v, caf::get_atom_v, std::string{"6"});
    self->send(sender, std::string{"7"});
  });
  time.run();

  EXPECT_THAT(*given, ElementsAre("1", "2", "3", "4", "5", "6", "7"));
}

TEST_F(Batches, that_begin_with_such_a_message_keep_their_order) {
  start_with([given = given](caf::event_based_actor* self) -> caf::actor {
    return self->spawn<Behaving>([given](caf::event_based_actor*) -> caf::behavior {
      return {
        [=](const std::string& text) { given->push_back(text); },
        [=](caf::ok_atom, caf::get_atom, const std::string& text) { given->push_back(text); },
      };
    });
  });
  time.run();

  at_once([this](caf::event_based_actor* self) {
    self->send(sender, caf::ok_atom_v, caf::get_atom_v, std::string{"1"});
    self->send(sender, std::string{"2"});
    self->send(sender, caf::ok_atom_v, caf::get_atom_v, std::string{"3"});
    self->send(sender, std::string{"4"});
  });
  time.run();

  EXPECT_THAT(*given, ElementsAre("1", "2", "3", "4"));
}

TEST_F(Batches, keep_the_order_of_what_is_refused_because_it_is_no_work) {
  auto options = default_options();
  options.on_event = log.hook();
  start_with(child_of<BatchScribe>(given), options);
  time.run();

  at_once([this](caf::event_based_actor* self) {
    request(self, std::string{"a"});
    request(self, caf::make_error(caf::sec::runtime_error));
    request(self, std::string{"b"});
  });
  time.run();

  const auto timeline = log.timeline();
  EXPECT_LT(timeline.find("delivery 1 accepted"), timeline.find("not accepted, unusable"));
  EXPECT_LT(timeline.find("not accepted, unusable"), timeline.find("delivery 2 accepted"));
  EXPECT_THAT(*answers, ElementsAre("a", "an error", "b"));
}

TEST_F(Batches, leave_to_caf_the_question_who_an_actor_is) {
  start_with(child_of<BatchScribe>(given));
  time.run();
  const auto names = std::make_shared<Strings>();
  at_once([this, names](caf::event_based_actor* self) {
    self->send(sender, std::string{"a"});
    seam::request(*self, sender, caf::sys_atom_v, caf::get_atom_v, std::string{"info"})
      .then([names](caf::ok_atom, const std::string&, const caf::strong_actor_ptr&,
                    const std::string& name) { names->push_back(name); },
            [names](const caf::error&) { names->push_back("an error"); });
    self->send(sender, std::string{"b"});
  });
  time.run();

  EXPECT_THAT(*given, ElementsAre("a", "b"));
  EXPECT_THAT(*names, ElementsAre("backoff_actor.sender"));
}

TEST_F(Batches, of_plain_sends_are_all_answered_in_order) {
  const auto received = std::make_shared<Strings>();
  start_with(child_of<BatchScribe>(given));
  const auto client = plain_client(received);
  time.run();

  time.freeze(sender);
  for (std::uint64_t number = 1; number <= 5; ++number)
    time.tell(client, number);
  time.run();
  time.thaw(sender);
  time.run();

  EXPECT_THAT(*received, ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(Batches, of_answers_reach_the_client_in_the_name_of_the_sender) {
  start_with(child_of<BatchScribe>(given));
  time.run();
  std::vector<caf::actor_addr> from;

  at_once([&](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b", "c"})
      seam::request(*self, sender, std::string{text}).then([&, self](const std::string&) {
        from.push_back(caf::actor_cast<caf::actor_addr>(self->current_sender()));
      });
  });
  time.run();

  EXPECT_THAT(from, ElementsAre(sender.address(), sender.address(), sender.address()));
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
    seam::send_exit_now(sender, self->address(), caf::exit_reason::kill);
  });
  time.run();

  EXPECT_THAT(*given, IsEmpty());
  EXPECT_THAT(*answers, ElementsAre("gone", "gone", "gone"));
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

TEST_F(Batches, behind_a_stop_are_refused) {
  start_with(child_of<BatchScribe>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    request(self, std::string{"a"});
    self->send(sender, Stop{});
    request(self, std::string{"b"});
    request(self, std::string{"c"});
  });
  time.run();

  EXPECT_THAT(*answers, ElementsAre("stopped", "gone", "gone"));
}

TEST_F(Batches, are_overtaken_by_what_is_urgent) {
  start_with(child_of<BatchScribe>(given));
  time.run();

  at_once([this](caf::event_based_actor* self) {
    for (const auto* text : {"a", "b"})
      request(self, std::string{text});
    seam::send_exit_now(sender, self->address(), caf::exit_reason::user_shutdown);
    request(self, std::string{"c"});
  });
  time.run();

  EXPECT_THAT(*given, IsEmpty());
  EXPECT_THAT(*answers, ElementsAre("gone", "gone", "gone"));
}

TEST_F(Batches, do_not_overtake_the_news_of_a_childs_end_that_they_followed) {
  const auto born = std::make_shared<std::vector<caf::actor>>();
  auto options = default_options();
  options.on_event = log.hook();
  start_with(
    [=, given = given](caf::event_based_actor* self) {
      born->push_back(self->spawn<BatchScribe>(given));
      return born->back();
    },
    options);
  time.run();

  time.freeze(sender);
  time.tell(sender, RetryNow{}); // the others wait beside the mailbox for this one
  time.tell(born->front(), std::string{"quit"});
  time.run();
  at_once([this](caf::event_based_actor* self) { request(self, std::string{"a"}); });
  time.run();
  time.thaw(sender);
  time.run();
  born->clear();

  // Had the request come first, the child would have ended while it owed an answer, and be missed for
  // as long as the delay after a failure takes.
  EXPECT_THAT(*given, ElementsAre("quit", "a"));
  EXPECT_THAT(*answers, ElementsAre("a"));
  EXPECT_EQ(retries(), 0u);
}

} // namespace backoff_actor::actor_test
