// The end of a sender: its child is asked to end first, and what it still answers counts.

#include "fixture.hpp"

#include <caf/exit_reason.hpp>

namespace backoff_actor::actor_test {

namespace {

// Takes one text, and works on until it is told to finish, whoever asks it to end.
class Careful : public caf::event_based_actor {
public:
  Careful(caf::actor_config& config, std::shared_ptr<Strings> diary)
    : caf::event_based_actor(config), diary_(std::move(diary)) {}

  caf::behavior make_behavior() override {
    const auto note = compat::on_exit_message(*this, [this](const caf::exit_msg& x) {
      diary_->push_back(x.reason == caf::exit_reason::user_shutdown ? "asked" : "told");
    });
    return {note,
            [this](const std::string&) -> caf::result<std::string> {
              answer_ = make_response_promise<std::string>();
              return answer_;
            },
            [this](std::uint64_t) {
              answer_.deliver(std::string{"done"});
              quit();
            }};
  }

  void on_exit() override {
    diary_->push_back("ended");
    answer_ = {}; // which holds this actor
  }

private:
  std::shared_ptr<Strings> diary_;
  caf::typed_response_promise<std::string> answer_;
};

} // namespace

class SenderEndings : public SenderTest {
protected:
  ChildFactory careful() const {
    return [child = child, diary = diary](caf::event_based_actor* self) {
      return *child = self->spawn<Careful>(diary);
    };
  }

  static SenderOptions with_grace() {
    auto options = default_options();
    options.kill_grace = 3s;
    return options;
  }

  void start_careful() {
    start_with(careful(), with_grace());
    time.run();
    answer = ask("a");
  }

  void TearDown() override { *child = nullptr; }

  void finish() {
    time.tell(*child, std::uint64_t{0});
    time.run();
  }

  std::shared_ptr<testing::Answer<SenderStatus>> stop() {
    const auto stopped = time.ask<SenderStatus>(sender, Stop{});
    time.run();
    return stopped;
  }

  std::shared_ptr<Strings> diary = std::make_shared<Strings>();
  std::shared_ptr<caf::actor> child = std::make_shared<caf::actor>();
  std::shared_ptr<testing::Answer<std::string>> answer;
};

TEST_F(SenderEndings, wait_for_the_answer_of_the_child_and_for_its_end) {
  start_careful();
  const auto stopped = stop();
  EXPECT_THAT(*diary, ElementsAre("asked"));
  EXPECT_EQ(status().phase, Phase::stopping);
  EXPECT_FALSE(stopped->value);

  finish();

  EXPECT_EQ(answer->value, "done");
  EXPECT_THAT(*diary, ElementsAre("asked", "ended"));
  ASSERT_TRUE(stopped->value);
  EXPECT_EQ(stopped->value->phase, Phase::stopped);
  EXPECT_EQ(stopped->value->counters.acknowledged, 1u);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(SenderEndings, refuse_what_comes_meanwhile) {
  start_careful();
  stop();
  EXPECT_EQ(*ask("b")->error, make_error(SenderError::draining));
}

TEST_F(SenderEndings, answer_everybody_who_asks_for_them) {
  start_careful();
  const auto first = stop();
  const auto second = stop();
  finish();
  EXPECT_TRUE(first->value);
  EXPECT_TRUE(second->value);
}

TEST_F(SenderEndings, kill_a_child_that_does_not_end_when_its_time_is_over) {
  start_careful();
  const auto stopped = stop();
  time.advance(3s - 1ns);
  EXPECT_THAT(*diary, ElementsAre("asked"));
  time.advance(1ns);
  EXPECT_THAT(*diary, ElementsAre("asked", "asked", "ended"));
  EXPECT_TRUE(stopped->value);
  EXPECT_EQ(*answer->error, make_error(SenderError::stopped));
}

TEST_F(SenderEndings, leave_a_child_that_cannot_even_be_killed_after_as_much_time_again) {
  start_careful();
  time.freeze(*child);
  const auto stopped = stop();
  time.advance(6s - 1ns);
  EXPECT_FALSE(stopped->value);
  time.advance(1ns);
  EXPECT_TRUE(stopped->value);
  EXPECT_EQ(*answer->error, make_error(SenderError::stopped));
}

TEST_F(SenderEndings, by_an_exit_message_wait_for_the_child_and_keep_the_reason) {
  start_careful();
  const auto reason = watch_sender();
  time.stop(sender);
  time.run();
  EXPECT_FALSE(*reason);
  finish();
  EXPECT_EQ(answer->value, "done");
  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, caf::exit_reason::user_shutdown);
}

TEST_F(SenderEndings, by_an_exit_message_kill_a_child_that_does_not_end_when_its_time_is_over) {
  start_careful();
  time.stop(sender);
  time.advance(3s - 1ns);
  EXPECT_THAT(*diary, ElementsAre("asked"));
  time.advance(1ns);
  EXPECT_THAT(*diary, ElementsAre("asked", "asked", "ended"));
}

TEST_F(SenderEndings, by_kill_come_at_once_and_kill_the_child) {
  start_careful();
  const auto reason = watch_sender();
  time.tell(sender, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, caf::exit_reason::kill);
  EXPECT_EQ(diary->back(), "ended");
}

TEST_F(SenderEndings, by_kill_are_an_answer_to_whoever_asked_for_the_end_before) {
  start_careful();
  const auto stopped = stop();
  time.tell(sender, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_TRUE(stopped->value);
}

TEST_F(SenderEndings, keep_a_sender_alive_that_nobody_holds_and_that_owes_nothing) {
  {
    auto options = with_grace();
    options.on_event = log.hook();
    const auto unheld = spawn_back_off_sender(time.system(), careful(), options);
    time.run();
    time.tell(unheld, Stop{});
    time.run();
  }
  time.advance(3s - 1ns);
  EXPECT_THAT(*diary, ElementsAre("asked"));
  EXPECT_EQ(log.count<event::SenderStopped>(), 0u);
  time.advance(1ns);
  EXPECT_THAT(*diary, ElementsAre("asked", "asked", "ended"));
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

} // namespace backoff_actor::actor_test
