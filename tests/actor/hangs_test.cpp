// Children that are silent for too long.

#include "fixture.hpp"

namespace backoff_actor::actor_test {

class Hangs : public SenderTest {
protected:
  static SenderOptions within_a_second() {
    auto options = default_options();
    options.ack_timeout = 1s;
    options.kill_grace = 500ms;
    return options;
  }
};

TEST_F(Hangs, a_silent_child_is_ended_at_the_timeout_and_not_a_nanosecond_earlier) {
  start({{testing::silence()}}, within_a_second());
  const auto answer = ask("a");
  time.advance(1s - 1ns);
  EXPECT_EQ(log.count<event::AckTimedOut>(), 0u);
  EXPECT_EQ(danger.started(), 1u);

  time.advance(1ns);

  EXPECT_EQ(log.count<event::AckTimedOut>(), 1u);
  EXPECT_EQ(danger.started(), 2u) << "at once, as after a crash";
  EXPECT_EQ(danger.alive(), 1u);
  EXPECT_FALSE(answer->is_ready());
  time.advance(10ms);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.seen(), (std::vector<DangerousActor::Seen>{{1, "a"}, {2, "a"}}));
  EXPECT_EQ(status().counters.hangs, 1u);
  EXPECT_EQ(status().counters.crashes, 0u) << "it was told to end";
}

// -- working -------------------------------------------------------------------------

TEST_F(Hangs, a_child_that_says_that_it_is_working_in_time_has_more_of_it) {
  auto options = within_a_second();
  options.acknowledgement = Acknowledgement::by_sent;
  start({{testing::slow(3500ms, 900ms)}}, options);
  const auto answer = ask("a");
  time.advance(3500ms);

  EXPECT_EQ(log.count<event::AckTimedOut>(), 0u);
  EXPECT_EQ(answer->value, "a");
}

// -- children that do not end ------------------------------------------------------------

// Takes no hint, and answers nothing.
class Deaf : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    set_exit_handler([](caf::exit_msg&) {});
    return {[this](const std::string&) {
      promises_.push_back(make_response_promise());
      return caf::delegated<std::string>{};
    }};
  }

  void on_exit() override { promises_.clear(); }

private:
  std::vector<caf::response_promise> promises_;
};

TEST_F(Hangs, a_child_that_takes_no_hint_is_killed_before_its_grace_is_over) {
  bool first = true;
  start_with(
    [&, make = danger.factory()](caf::event_based_actor* self) -> caf::actor {
      return std::exchange(first, false) ? self->spawn<Deaf>() : make(self);
    },
    within_a_second());
  const auto answer = ask("a");
  time.advance(1010ms);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(log.count<event::ChildOverdue>(), 0u);
}

TEST_F(Hangs, a_child_that_is_stuck_is_abandoned_when_its_grace_is_over) {
  start({{testing::silence()}}, within_a_second());
  const auto answer = ask("a");
  const auto stuck = danger.child();
  time.freeze(stuck);
  time.advance(1500ms - 1ns);
  EXPECT_EQ(danger.started(), 1u) << "the delay is over, but the child may still end";

  time.advance(1ns);

  ASSERT_EQ(log.count<event::ChildOverdue>(), 1u);
  EXPECT_TRUE(log.all<event::ChildOverdue>()[0].is_abandoned);
  EXPECT_EQ(danger.started(), 2u);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.alive(), 2u);
  EXPECT_EQ(status().abandoned, 1u);
  time.thaw(stuck);
  time.run();
  EXPECT_EQ(log.count<event::AbandonedChildEnded>(), 1u);
  EXPECT_EQ(log.all<event::AbandonedChildEnded>()[0].incarnation, 1u);
  EXPECT_EQ(danger.alive(), 1u);
  EXPECT_EQ(status().abandoned, 0u);
  EXPECT_EQ(ask("b")->value, "b") << "the end of the abandoned one is not that of its successor";
}

TEST_F(Hangs, a_child_that_is_stuck_is_waited_for_on_request) {
  auto options = within_a_second();
  options.rare.after_grace = AfterGrace::wait;
  start({{testing::silence()}}, options);
  const auto answer = ask("a");
  const auto stuck = danger.child();
  time.freeze(stuck);
  time.advance(1h);

  ASSERT_EQ(log.count<event::ChildOverdue>(), 1u);
  EXPECT_FALSE(log.all<event::ChildOverdue>()[0].is_abandoned);
  EXPECT_EQ(danger.started(), 1u);
  EXPECT_EQ(time.timers(), 0u) << "there is nothing to wake up for";
  time.thaw(stuck);
  time.run();
  EXPECT_EQ(danger.started(), 2u);
  EXPECT_EQ(answer->value, "a");
}

TEST_F(Hangs, several_abandoned_children_are_told_apart) {
  start({testing::times(2, testing::silence())}, within_a_second());
  ask("a");
  const auto first = danger.child();
  time.freeze(first);
  time.advance(1500ms);
  const auto second = danger.child();
  time.freeze(second);
  time.advance(1500ms);
  ASSERT_EQ(status().abandoned, 2u);

  time.thaw(second);
  time.run();
  time.thaw(first);
  time.run();

  const auto ends = log.all<event::AbandonedChildEnded>();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].incarnation, 2u);
  EXPECT_EQ(ends[1].incarnation, 1u);
}

// -- what becomes of a hang ------------------------------------------------------------------

TEST_F(Hangs, a_hang_is_an_attempt) {
  auto options = within_a_second();
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  options.max_in_flight = 1;
  start({testing::times(2, testing::silence())}, options);
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(2010ms);
  ASSERT_TRUE(a->error);
  time.advance(1h);

  EXPECT_EQ(text_of(a->error),
            "attempts_exhausted: this delivery failed as often as max_attempts allows (" + name()
              + ", last: no acknowledgement within 1s)");
  EXPECT_EQ(b->value, "b");
}

TEST_F(Hangs, a_hang_that_the_decider_calls_final_costs_the_delivery_alone) {
  auto options = within_a_second();
  options.decider = [](FailureKind kind, const caf::error& error) -> Decision {
    return kind == FailureKind::ack_timeout && error == make_error(SenderError::ack_timeout)
             ? Verdict::reject
             : Verdict::retry;
  };
  start({{testing::silence()}}, options);
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(1010ms);

  ASSERT_TRUE(a->error);
  EXPECT_EQ(*a->error, make_error(SenderError::ack_timeout));
  EXPECT_EQ(b->value, "b");
}

// -- timers ----------------------------------------------------------------------------------

TEST_F(Hangs, whatever_is_due_there_is_one_timer_for_it) {
  auto options = within_a_second();
  options.ordering = Ordering::unordered;
  options.rare.works_on = WorksOn::many;
  options.time_to_live = 1h;
  start("(silence, crash, error(retry_after 20ms))*100", options);
  for (int i = 0; i < 200; ++i)
    time.tell(sender, std::to_string(i));
  time.run();
  tell(Drain{2h});
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(time.timers(), 1u);
    time.advance(100ms);
    if (status().owed == 0)
      break;
  }
  EXPECT_EQ(status().owed, 0u);
  time.advance(1h);
  EXPECT_EQ(time.timers(), 0u) << "one that is out may be for what is done";
}

} // namespace backoff_actor::actor_test
