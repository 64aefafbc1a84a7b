// What the code of the article gets wrong, each as a test named after the right behaviour. D1 ...
// D14 number the defects.

#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- the defects of the original, by the right behaviour ----------------------

TEST(original_defects, hands_a_living_child_each_delivery_once) { // D2
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  ASSERT_TRUE(sender.engine->backoff().is_started());

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2")) << "one at a time, until one is through";
  EXPECT_THAT(sender.wake_after(1s), IsEmpty());
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "hand over 3"));
  EXPECT_EQ(sender.hand_overs[1].size(), 2u);
  EXPECT_EQ(sender.hand_overs[2].size(), 1u);
}

TEST(original_defects, lets_no_newcomer_overtake_those_that_wait) { // D3
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first_hand_over = sender.hand_overs[1].back();
  sender.submit();
  sender.crash();
  sender.child_started();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3"));

  EXPECT_THAT(sender.ack(first_hand_over), ElementsAre("acknowledge 1")) << "a late answer";
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3", "hand over 4"));
}

TEST(original_defects, unknown_and_repeated_acknowledgements_change_nothing) { // D7
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.ack(1);
  sender.crash();
  sender.child_started();
  ASSERT_TRUE(sender.engine->backoff().is_started());

  EXPECT_THAT(sender.ack(1), IsEmpty()) << "repeated";
  EXPECT_THAT(sender.ack(HandOverId{123456}), IsEmpty()) << "forged";
  EXPECT_TRUE(sender.engine->backoff().is_started());
}

TEST(original_defects, takes_no_notice_of_the_end_of_an_earlier_child) { // D8
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);

  EXPECT_THAT(sender.take(input::ChildDown{1, {7, "late"}}), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u);
}

TEST(original_defects, a_normal_stop_with_nothing_owed_is_no_failure) { // D8
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);

  EXPECT_THAT(sender.stop_normally(), IsEmpty());
  EXPECT_EQ(sender.engine->backoff().total_retries(), 0u);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 2"));
}

TEST(original_defects, a_normal_stop_with_deliveries_owed_is_a_failure) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.stop_normally(), ElementsAre("start child 2", "wake at 10ms"));
}

TEST(original_defects,
     a_crash_with_nothing_owed_holds_up_the_next_message_no_longer_than_its_delay) { // D9
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
}

TEST(original_defects, stopping_ends_the_child_and_tells_of_all_that_is_owed_in_order) { // D14
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("ask to end 2"));
  EXPECT_THAT(sender.crash(), ElementsAre("dead letter 1 stopped", "dead letter 2 stopped"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
  EXPECT_THAT(sender.crash(), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: stopped"));
}

TEST(original_defects, a_child_that_comes_after_the_stop_is_ended) {
  EngineDriver sender;
  sender.take(input::Start{});
  sender.take(input::Stop{});

  EXPECT_THAT(sender.take(input::ChildStarted{1}), ElementsAre("stop child 1"));
}

} // namespace backoff_actor::engine_test
