// Acknowledgement by Sent.

#include "fixture.hpp"

#include <backoff_actor/caf/sender/internal/sender_actor.hpp>

#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

class ExplicitMode : public SenderTest {};

TEST_F(ExplicitMode, a_returned_sent_acknowledges_and_answers_the_request) {
  start({}, by_sent());

  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
}

TEST_F(ExplicitMode, a_returned_error_of_a_living_child_is_final) {
  start({{testing::error()}}, by_sent());

  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::invalid_argument);
  EXPECT_EQ(danger.started(), 1u);
}

// Answers nothing at first, and sends `Sent` of its own accord when it is told to.
class Secretary : public caf::event_based_actor {
public:
  Secretary(caf::actor_config& config, std::vector<TrackedMsg>* files)
    : caf::event_based_actor(config), files_(files) {}
  caf::behavior make_behavior() override {
    return {
      [this](const TrackedMsg& delivery) {
        files_->push_back(delivery);
        sender_ = caf::actor_cast<caf::actor_addr>(current_sender());
      },
      [this](std::uint64_t index) {
        send(caf::actor_cast<caf::actor>(sender_), sent((*files_)[index], std::string{"done"}));
      },
    };
  }

private:
  std::vector<TrackedMsg>* files_;
  caf::actor_addr sender_;
};

class WithSecretary : public ExplicitMode {
protected:
  void SetUp() override {
    auto options = by_sent();
    options.max_in_flight = 8; // the secretary may have several files on the desk
    start_with(
      [this](caf::event_based_actor* self) {
        auto child = self->spawn<Secretary>(&files);
        secretary = child.address();
        return child;
      },
      options);
  }

  void tell_secretary(std::uint64_t index) {
    time.tell(caf::actor_cast<caf::actor>(secretary), index);
    time.run();
  }

  void crash_secretary() {
    caf::anon_send_exit(secretary, caf::exit_reason::kill);
    time.run();
  }

  void TearDown() override {
    files.clear();
    ExplicitMode::TearDown();
  }

  std::vector<TrackedMsg> files;
  caf::actor_addr secretary;
};

TEST_F(WithSecretary, sent_may_come_at_any_later_time) {
  const auto answer = ask("a");
  time.advance(1h);
  EXPECT_FALSE(answer->is_ready()) << "returning nothing confirms nothing";
  EXPECT_EQ(log.count<event::Acknowledged>(), 0u);
  tell_secretary(0);

  EXPECT_EQ(answer->value, "done");
}

// -- who may speak ------------------------------------------------------------------

TEST_F(WithSecretary, nobody_guesses_the_id_of_a_hand_over) {
  const auto answer = ask("a");
  std::size_t guesses = 0;
  for (std::uint32_t slot = 0; slot < 2; ++slot)
    for (std::uint32_t tag = 0; tag < 4; ++tag) {
      const auto guess = HandOverId::make(slot, tag).value;
      tell(Sent{guess, caf::make_message(std::string{"forged"})});
      tell(Nack{guess});
      tell(Reject{guess});
      tell(Working{guess});
      guesses += 4;
    }

  EXPECT_FALSE(answer->is_ready());
  EXPECT_EQ(files.size(), 1u) << "it is not handed over again";
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), guesses);
  tell_secretary(0);
  EXPECT_EQ(answer->value, "done");
}

TEST_F(WithSecretary, whoever_was_given_the_tracked_message_may_acknowledge_it) {
  const auto answer = ask("a");
  tell(sent(files.at(0), std::string{"by a delegate"}));

  EXPECT_EQ(answer->value, "by a delegate");
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 0u);
}

TEST_F(WithSecretary, only_the_present_child_may_refuse_what_an_earlier_one_had_too) {
  const auto answer = ask("a");
  crash_secretary();
  time.advance(10ms);
  ASSERT_EQ(files.size(), 2u);

  tell(Nack{files[0].id});
  tell(Reject{files[0].id});
  tell(Working{files[0].id});
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 3u);
  EXPECT_EQ(status().counters.nacks, 0u);
  EXPECT_FALSE(answer->is_ready());

  tell(Nack{files[1].id});
  EXPECT_EQ(status().counters.nacks, 1u);
}

TEST_F(WithSecretary, an_id_says_nothing_to_another_sender_of_the_same_blueprint) {
  std::vector<std::vector<TrackedMsg>> kept(2);
  std::size_t next = 0;
  const SenderBlueprint blueprint{[&](caf::event_based_actor* self) {
                                    auto& mine = kept.at(next++);
                                    return self->spawn<Secretary>(&mine);
                                  },
                                  by_sent()};
  const auto first = time.keep(blueprint.spawn(time.system()));
  const auto second = time.keep(blueprint.spawn(time.system()));
  time.run();
  const auto to_first = time.ask<std::string>(first, std::string{"a"});
  const auto to_second = time.ask<std::string>(second, std::string{"a"});
  time.run();
  ASSERT_EQ(kept[0].size(), 1u);
  ASSERT_EQ(kept[1].size(), 1u);

  time.tell(second, sent(kept[0][0], std::string{"done"}));
  time.run();

  EXPECT_FALSE(to_first->is_ready());
  EXPECT_FALSE(to_second->is_ready());
}

// -- names of hand-overs ----------------------------------------------------------

// A stale word of each child before comes while the next delivery is in flight.
TEST_F(ExplicitMode, a_stale_sent_acknowledges_nothing_where_names_of_hand_overs_go_round) {
  std::vector<TrackedMsg> kept;
  auto options = by_sent();
  options.on_event = log.hook();
  auto settings = std::make_shared<detail::SenderSettings>(
    [&](caf::event_based_actor* self) {
      return self->spawn<HandMade>([&](caf::event_based_actor*, const TrackedMsg& delivery) {
        kept.push_back(delivery);
        return caf::message{};
      });
    },
    options);
  settings->engine_options.last_tag = HandOverId::tag_mask - 2;
  sender = time.system().spawn<BackOffSender>(
    std::const_pointer_cast<const detail::SenderSettings>(std::move(settings)));
  for (std::size_t i = 0; i < 6; ++i) {
    const auto answer = ask(std::to_string(i));
    for (std::size_t stale = 0; stale < i; ++stale)
      tell(Sent{kept.at(stale).id, caf::make_message(std::string{"stale"})});
    EXPECT_FALSE(answer->is_ready()) << "delivery " << i + 1;
    tell(sent(kept.at(i), std::string{"done"}));
    EXPECT_EQ(answer->value, "done");
  }
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 15u);
}

} // namespace backoff_actor::actor_test
