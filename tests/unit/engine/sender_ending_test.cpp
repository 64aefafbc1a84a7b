// The end of a sender: the children are asked to end, and what they still answer counts.

#include "engine_driver.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::engine_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A sender whose child has two deliveries, and which has a third; it was told to end.
class SenderEnding : public ::testing::Test {
protected:
  void begin(input::Stop stop = {}) {
    sender.start();
    for (int i = 0; i < 3; ++i)
      sender.submit();
    asked = sender.take(stop);
  }

  EngineDriver sender{{.max_in_flight = 2, .kill_grace = 5s}};
  Lines asked;
};

TEST_F(SenderEnding, asks_the_child_and_waits_for_it) {
  begin();
  EXPECT_THAT(asked, ElementsAre("ask to end 1", "wake at 5s"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopping);
  EXPECT_FALSE(sender.engine->has_ended());
  EXPECT_THAT(sender.crash(), ElementsAre("dead letter 1 stopped", "dead letter 2 stopped",
                                          "dead letter 3 stopped"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_TRUE(sender.engine->has_ended());
}

TEST_F(SenderEnding, takes_what_the_child_still_answers) {
  begin();
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.reject(2), ElementsAre("dead letter 2 rejected"));
  EXPECT_THAT(sender.stop_normally(), ElementsAre("dead letter 3 stopped"));
}

TEST_F(SenderEnding, takes_an_error_that_the_child_meant) {
  begin();
  EXPECT_THAT(sender.error(1, 8), ElementsAre("hold 1", "probe 1"));
  EXPECT_THAT(sender.stop_normally(), ElementsAre("dead letter 1 rejected", "dead letter 2 stopped",
                                                  "dead letter 3 stopped"));
}

TEST_F(SenderEnding, hands_over_accepts_and_starts_nothing) {
  begin();
  EXPECT_THAT(sender.nack(1), IsEmpty()) << "it is not tried again";
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender.take(input::RetryNow{}), IsEmpty());
  EXPECT_EQ(sender.engine->living_child(), 0u);
  EXPECT_THAT(sender.crash(), ElementsAre("dead letter 1 stopped", "dead letter 3 stopped"));
}

TEST_F(SenderEnding, ends_a_child_that_does_not_end_and_at_last_abandons_it) {
  begin();
  EXPECT_THAT(sender.wake_after(5s - 1ns), ElementsAre("wake at 5s"));
  EXPECT_THAT(sender.wake_after(1ns), ElementsAre("tell to end 1", "wake at 10s"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(sender.wake_after(5s - 1ns), ElementsAre("wake at 10s"));
  EXPECT_THAT(sender.wake_after(1ns),
              ElementsAre("abandon 1", "dead letter 1 stopped", "dead letter 3 stopped"));
  EXPECT_TRUE(sender.engine->has_ended());
}

TEST_F(SenderEnding, has_no_limit_if_somebody_else_sees_to_it) {
  begin({.is_timed = false});
  EXPECT_THAT(asked, ElementsAre("ask to end 1"));
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
  EXPECT_FALSE(sender.engine->has_ended());
  EXPECT_THAT(sender.take(input::Kill{}),
              ElementsAre("stop child 1", "dead letter 1 stopped", "dead letter 2 stopped",
                          "dead letter 3 stopped"));
}

TEST_F(SenderEnding, gets_a_limit_from_whoever_wants_one) {
  begin({.is_timed = false});
  sender.now = sender.now + Duration{1h};
  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("wake at 3605s"));
  sender.now = sender.now + Duration{1s};
  EXPECT_THAT(sender.take(input::Stop{}), IsEmpty()) << "the first limit holds";
}

TEST_F(SenderEnding, does_not_wait_for_a_child_that_is_not_there_yet) {
  sender.take(input::Start{});
  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("stop child 1"));
  EXPECT_TRUE(sender.engine->has_ended());
}

TEST_F(SenderEnding, waits_for_both_children) {
  EngineDriver both{
    {.max_in_flight = 1, .restart_limit = RestartLimit{0, 1s}, .has_fallback = true}};
  both.start();
  both.submit();
  both.submit();
  ASSERT_THAT(both.crash(), ElementsAre("start fallback 2", "wake at 10ms"));
  ASSERT_THAT(both.child_started(), ElementsAre("hand over 1"));
  ASSERT_THAT(both.wake_after(10ms), ElementsAre("start child 3"));
  ASSERT_THAT(both.child_started(), ElementsAre("hand over 2"));
  EXPECT_THAT(both.take(input::Stop{}),
              ElementsAre("ask to end 3", "ask to end 2", "wake at 5.01s"));
  EXPECT_THAT(both.take(input::ChildDown{2, {}}), IsEmpty());
  EXPECT_THAT(both.ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(both.take(input::ChildDown{3, {}}), ElementsAre("dead letter 1 stopped"));
}

TEST_F(SenderEnding, is_told_once_when_it_is_killed_while_only_the_fallback_is_there) {
  EngineDriver fallen{{.restart_limit = RestartLimit{0, 1s}, .has_fallback = true}};
  fallen.start();
  fallen.submit();
  ASSERT_THAT(fallen.crash(), ElementsAre("start fallback 2", "wake at 10ms"));
  fallen.child_started();
  fallen.take(input::Stop{});
  EXPECT_THAT(fallen.take(input::Kill{}), ElementsAre("stop child 2", "dead letter 1 stopped"));
}

TEST_F(SenderEnding, counts_the_answer_it_gave_up_for_once) {
  EngineDriver limited{{.max_attempts = 1, .charging = Charging::every_failure()}};
  limited.start();
  limited.submit();
  limited.error(1, 7, false, Verdict::give_up);
  ASSERT_THAT(limited.take(input::ChildAlive{1, 1}),
              ElementsAre("give up", "ask to end 1", "wake at 5s"));
  EXPECT_THAT(limited.reject(1), IsEmpty());
  EXPECT_THAT(limited.stop_normally(), ElementsAre("dead letter 1 gave_up"));
}

TEST_F(SenderEnding, also_after_it_gave_up_waits_for_its_child) {
  EngineDriver limited{{.max_elapsed = 1ms}};
  limited.start();
  limited.submit();
  EXPECT_THAT(limited.nack(1), ElementsAre("give up", "ask to end 1", "wake at 5s"));
  EXPECT_EQ(limited.engine->phase(), Phase::stopping);
  EXPECT_THAT(limited.take(input::Kill{}), ElementsAre("stop child 1", "dead letter 1 gave_up"));
}

TEST_F(SenderEnding, takes_no_second_reason) {
  EngineDriver failing;
  failing.start();
  failing.submit();
  failing.take(input::Stop{});
  EXPECT_THAT(failing.take(input::ErrorAnswer{
                failing.hand_overs.at(1).back(), {7, "no"}, false, true, Verdict::give_up}),
              ElementsAre("hold 1"));
  EXPECT_THAT(failing.stop_normally(), ElementsAre("dead letter 1 stopped"));
}

// cockatiel waits its delay out after the stop, and calls once more.
TEST(sender_stop, hands_over_nothing_more_also_if_the_delay_was_over) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.nack(1);
  sender.now = Instant{10ms}; // the delay is over, and nobody has looked at the clock

  sender.take(input::Stop{});
  sender.wake_after(0ms);
  sender.wake_after(1h);
  EXPECT_EQ(sender.hand_overs.at(1).size(), 1u);
}

} // namespace

} // namespace backoff_actor::engine_test
