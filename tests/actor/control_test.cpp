// What a sender can be told. Every word in every phase: control_phases_test.cpp.

#include "fixture.hpp"

#include <caf/sec.hpp>

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
  class Reader : public caf::event_based_actor {
  public:
    using caf::event_based_actor::event_based_actor;
    caf::behavior make_behavior() override {
      return {[](const Pause&, const std::string& text) { return text; }};
    }
  };
  start_with(child_of<Reader>());
  const auto answer = time.ask<std::string>(sender, Pause{}, std::string{"a"});
  time.run();

  EXPECT_EQ(answer->value, "a");
  EXPECT_FALSE(status().is_paused);
}

// -- Status --------------------------------------------------------------------------------

TEST_F(Control, the_status_says_how_the_sender_stands) {
  start({{testing::ok(), testing::error(), testing::crash(), testing::crash()}});
  for (const auto* text : {"a", "b", "c", "d"})
    ask(text);
  time.advance(15ms);

  const auto now = status();

  EXPECT_EQ(to_string(now), "waiting, 2 owed (0 in flight, oldest 15ms), child 3, retry in 25ms, "
                            "2 failures in a row");
  EXPECT_EQ(now.restarts, 2u);
  EXPECT_EQ(now.total_retries, 2u);
  EXPECT_EQ(now.last_delay, 30ms);
  SenderCounters counters;
  counters.accepted = 4;
  counters.acknowledged = 1;
  counters.dead_lettered = 1;
  counters.hand_overs = 4; // a, b, c, and c again
  counters.resends = 1;
  counters.crashes = 2;
  EXPECT_EQ(now.counters, counters);
}

// -- RetryNow, Reset -------------------------------------------------------------------------

TEST_F(Control, a_retry_now_does_not_wait_for_the_delay) {
  start({testing::times(3, testing::crash())});
  const auto answer = ask("a");
  tell(RetryNow{});
  tell(RetryNow{});
  EXPECT_EQ(danger.seen().size(), 3u);
  tell(RetryNow{});

  EXPECT_EQ(answer->value, "a");
}

TEST_F(Control, a_retry_now_does_not_wait_for_a_service_that_asked_for_it) {
  start({{testing::error("busy", 1min)}});
  const auto answer = ask("a");
  tell(RetryNow{});

  EXPECT_EQ(answer->value, "a");
}

TEST_F(Control, a_retry_now_ends_the_pauses_of_single_deliveries) {
  auto options = default_options();
  options.ordering = Ordering::unordered;
  start({{testing::error("busy", 1min)}}, options);
  const auto answer = ask("a");
  time.advance(1s);
  EXPECT_FALSE(answer->is_ready());
  tell(RetryNow{});

  EXPECT_EQ(answer->value, "a");
}

TEST_F(Control, after_a_reset_the_waits_begin_anew_and_the_one_that_runs_goes_on) {
  start({testing::times(3, testing::crash())});
  ask("a");
  time.advance(10ms);
  tell(Reset{});
  time.advance(30ms - 1ns);
  EXPECT_EQ(danger.seen().size(), 2u);
  time.advance(1ns);
  EXPECT_EQ(danger.seen().size(), 3u);
  time.advance(10ms);
  EXPECT_EQ(danger.seen().size(), 4u) << "after 70 ms without the reset";
}

// -- Pause, Resume ---------------------------------------------------------------------------

TEST_F(Control, a_paused_sender_accepts_and_hands_nothing_over) {
  start({});
  tell(Pause{});
  const auto answer = ask("a");
  time.advance(1h);
  EXPECT_THAT(danger.texts(), IsEmpty());
  EXPECT_FALSE(answer->is_ready());
  tell(Resume{});

  EXPECT_EQ(answer->value, "a");
}

TEST_F(Control, what_a_child_has_it_may_finish_during_a_pause) {
  start({{testing::slow(1s)}});
  const auto answer = ask("a");
  tell(Pause{});
  time.advance(1s);

  EXPECT_EQ(answer->value, "a");
}

// -- Drain -----------------------------------------------------------------------------------

TEST_F(Control, a_drain_is_answered_when_nothing_is_owed_any_more) {
  start({{testing::slow(1s), testing::slow(2s)}});
  ask("a");
  ask("b");
  const auto drained = drain();
  time.advance(2s - 1ns);
  EXPECT_FALSE(drained->is_ready());
  time.advance(1ns);

  ASSERT_TRUE(drained->value);
  EXPECT_EQ(drained->value->left, 0u);
}

TEST_F(Control, a_drain_with_nothing_owed_is_answered_at_once) {
  start({});

  EXPECT_TRUE(drain()->value);
  EXPECT_EQ(status().phase, Phase::draining);
}

TEST_F(Control, what_comes_during_a_drain_is_refused_until_the_sender_is_told_to_resume) {
  start({});
  tell(Drain{});
  const auto refused = ask("a");
  tell(Resume{});

  ASSERT_TRUE(refused->error);
  EXPECT_EQ(*refused->error, make_error(SenderError::draining));
  EXPECT_EQ(ask("b")->value, "b");
  EXPECT_EQ(danger.texts(), (Strings{"b"}));
}

TEST_F(Control, a_drain_that_takes_too_long_says_what_is_left_and_accepts_again) {
  start({times(2, testing::silence())});
  ask("a");
  ask("b");
  const auto drained = drain(1s);
  time.advance(1s - 1ns);
  EXPECT_FALSE(drained->is_ready());
  time.advance(1ns);

  ASSERT_TRUE(drained->value);
  EXPECT_EQ(drained->value->left, 2u);
  EXPECT_EQ(ask("c")->value, "c");
}

TEST_F(Control, each_drain_has_its_own_time) {
  start({{testing::slow(5s)}});
  ask("a");
  const auto patient = drain();
  const auto hasty = drain(1s);
  time.advance(1s);
  ASSERT_TRUE(hasty->value);
  EXPECT_EQ(hasty->value->left, 1u);
  EXPECT_FALSE(patient->is_ready());
  EXPECT_EQ(status().phase, Phase::draining);
  time.advance(4s);

  ASSERT_TRUE(patient->value);
  EXPECT_EQ(patient->value->left, 0u);
}

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

TEST_F(Control, a_sender_that_nobody_holds_finishes_its_drain_and_then_goes) {
  DangerousActor children{{{testing::slow(1s)}}};
  auto options = default_options();
  options.on_event = log.hook();
  std::shared_ptr<testing::Answer<Drained>> drained;
  {
    const auto unheld = spawn_back_off_sender(time.system(), children.factory(), options);
    time.tell(unheld, std::string{"a"});
    drained = time.ask<Drained>(unheld, Drain{});
  }
  time.advance(1s - 1ns);
  EXPECT_FALSE(drained->is_ready());
  EXPECT_EQ(log.count<event::SenderStopped>(), 0u);
  time.advance(1ns);

  EXPECT_TRUE(drained->value);
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

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
