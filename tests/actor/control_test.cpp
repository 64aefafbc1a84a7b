// What a sender can be told. Every word in every phase: control_phases_test.cpp.

#include "fixture.hpp"

#include <ostream>

namespace backoff_actor::actor_test {

class Control : public SenderTest {
protected:
  std::shared_ptr<testing::Answer<Drained>> drain(Duration within = Duration::max()) {
    auto answer = time.ask<Drained>(sender, Drain{within});
    time.run();
    return answer;
  }
};

TEST_F(Control, a_word_that_is_no_request_is_obeyed_and_answered_by_a_plain_send) {
  start({});
  const auto heard = std::make_shared<Strings>();
  time.keep(time.system().spawn<Bystander>(
    [receiver = sender](auto* self) {
      self->send(receiver, Status{});
      self->send(receiver, RetryNow{});
      self->send(receiver, Reset{});
      self->send(receiver, Resume{});
      self->send(receiver, CurrentChild{});
      self->send(receiver, Drain{});
      self->send(receiver, Pause{});
      self->send(receiver, Stop{});
    },
    heard));
  time.run();

  EXPECT_THAT(*heard,
              ElementsAre("status running", "status running", "status running", "status running",
                          "child 1", "drained, left 0", "status draining", "status stopped"));
}

TEST_F(Control, a_drain_that_is_no_request_is_answered_at_its_end) {
  start({{testing::silence()}});
  ask("a");
  const auto heard = std::make_shared<Strings>();
  time.keep(time.system().spawn<Bystander>(
    [receiver = sender](auto* self) { self->send(receiver, Drain{3s}); }, heard));
  time.advance(3s - 1ns);
  EXPECT_THAT(*heard, IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(*heard, ElementsAre("drained, left 1"));
}

TEST_F(Control, a_word_that_nobody_sent_is_obeyed) {
  start({{testing::silence()}});
  const auto answer = ask("a");
  const auto end = watch_sender();
  tell(Status{});
  tell(CurrentChild{});
  tell(Drain{});
  tell(Pause{});
  EXPECT_EQ(status().phase, Phase::draining);
  EXPECT_TRUE(status().is_paused);
  tell(Stop{});
  EXPECT_TRUE(*end && !**end);
  EXPECT_EQ(answer->error, SenderError::stopped);
}

TEST_F(Control, a_word_among_others_is_a_message_like_any_other) {
  start_with([](caf::event_based_actor*) -> caf::behavior {
    return {[](const Pause&, const std::string& text) { return text; }};
  });
  const auto answer = time.ask<std::string>(sender, Pause{}, std::string{"a"});
  time.run();

  EXPECT_EQ(answer->value, "a");
  EXPECT_FALSE(status().is_paused);
}

// -- Drain -----------------------------------------------------------------------------------

TEST_F(Control, each_of_many_drains_is_answered_at_its_own_time) {
  start({{testing::slow(1s)}});
  ask("a");
  const auto late = drain();
  const auto second = drain(20ms);
  const auto first = drain(10ms);
  for (int i = 0; i < 100; ++i)
    tell(Drain{5ms}); // nobody waits for these
  time.advance(10ms);
  EXPECT_EQ(first->value->left, 1u);
  EXPECT_FALSE(second->is_ready());
  time.advance(10ms);
  EXPECT_EQ(second->value->left, 1u);
  EXPECT_FALSE(late->is_ready());
  time.advance(1s);

  EXPECT_EQ(late->value->left, 0u);
}

struct DrainEnd {
  const char* name;
  std::function<void(VirtualTime&, const caf::actor& sender)> cause;
  std::uint64_t left;

  friend void PrintTo(const DrainEnd& row, std::ostream* out) { *out << row.name; }
};

class ControlOfDrains : public Control, public ::testing::WithParamInterface<DrainEnd> {};

TEST_P(ControlOfDrains, an_open_drain_is_answered_whatever_happens) {
  auto options = default_options();
  options.ack_timeout = 1h;
  options.restart_limit = RestartLimit{0, 1h};
  start({{testing::silence()}}, options);
  ask("a");
  const auto drained = drain();
  GetParam().cause(time, sender);
  time.run();

  ASSERT_TRUE(drained->value);
  EXPECT_EQ(drained->value->left, GetParam().left);
}

INSTANTIATE_TEST_SUITE_P(
  table, ControlOfDrains,
  ::testing::Values(
    DrainEnd{"resume", [](auto& time, auto& sender) { time.tell(sender, Resume{}); }, 1},
    DrainEnd{"stop", [](auto& time, auto& sender) { time.tell(sender, Stop{}); }, 0},
    DrainEnd{"exit", [](auto& time, auto& sender) { time.stop(sender); }, 0},
    DrainEnd{"giving_up", [](auto& time, auto&) { time.advance(1h); }, 0}),
  [](const auto& row) { return std::string{row.param.name}; });

// -- Stop ------------------------------------------------------------------------------------

TEST_F(Control, a_stop_tells_the_clients_and_ends_the_sender_normally) {
  start({{testing::silence()}});
  const auto reason = watch_sender();
  const auto owed = ask("a");
  const auto last = time.ask<SenderStatus>(sender, Stop{});
  time.run();

  ASSERT_TRUE(owed->error);
  EXPECT_EQ(*owed->error, make_error(SenderError::stopped));
  ASSERT_TRUE(last->value);
  EXPECT_EQ(last->value->phase, Phase::stopped);
  EXPECT_EQ(last->value->owed, 0u);
  EXPECT_EQ(last->value->counters.dead_lettered, 1u);
  ASSERT_TRUE(*reason) << "the sender lives";
  EXPECT_FALSE(**reason) << "it ended with an error";
  EXPECT_EQ(danger.alive(), 0u);
}

} // namespace backoff_actor::actor_test
