#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- what a crash does --------------------------------------------------------

TEST(sender_child, recreates_the_child_at_once_and_resends_at_the_tick) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 10ms"));
  EXPECT_THAT(sender.child_started(), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::waiting);
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

TEST(sender_child, recreates_the_child_only_at_the_tick_on_request) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_child, waits_for_a_child_that_starts_slowly_beyond_the_tick) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();

  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_child, waits_longer_with_every_failure_in_a_row) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  for (const auto wait : {10ms, 30ms, 70ms, 150ms, 310ms, 630ms, 1270ms}) {
    sender.crash();
    sender.child_started();
    EXPECT_EQ(sender.engine->due(), sender.now + wait);
    EXPECT_THAT(sender.wake_after(wait), ElementsAre("hand over 1"));
  }
  EXPECT_EQ(sender.engine->backoff().total_retries(), 7u);
}

TEST(sender_child, an_acknowledgement_resets_the_backoff) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  ASSERT_TRUE(sender.engine->backoff().is_started());

  sender.ack(1);

  EXPECT_FALSE(sender.engine->backoff().is_started());
  EXPECT_EQ(sender.engine->backoff().resets(), 1u);
}

// -- starts that fail ---------------------------------------------------------

TEST(sender_child, a_failed_start_waits_and_is_tried_again_at_the_tick) {
  EngineDriver sender;
  sender.take(input::Start{});
  sender.submit();

  EXPECT_THAT(sender.take(input::StartFailed{1, {1, "no"}}), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_child, has_a_status_before_anything_was_submitted) {
  EngineDriver sender;
  sender.take(input::Start{});
  EXPECT_EQ(sender.engine->status(sender.now).phase, Phase::starting);
  sender.child_started();

  const auto status = sender.engine->status(sender.now);
  EXPECT_EQ(status.phase, Phase::running);
  EXPECT_EQ(status.incarnation, 1u);
  EXPECT_EQ(status.owed, 0u);
  EXPECT_FALSE(status.is_delayed);
}

TEST(sender_child, how_a_start_ended_is_news_once) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.take(input::ChildStarted{1}), IsEmpty());
  EXPECT_THAT(sender.take(input::StartFailed{1, {7, "too late"}}), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_EQ(sender.engine->status(sender.now).counters.failed_starts, 0u);
}

TEST(sender_child, a_child_that_dies_before_it_was_handed_anything_waits_for_the_tick) {
  EngineDriver sender;
  sender.start();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms")) << "starting at once would spin";
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
}

TEST(sender_child, knows_for_each_incarnation_whether_it_was_handed_something) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  ASSERT_THAT(sender.crash(), Contains("start child 2"));

  EXPECT_THAT(sender.crash(), IsEmpty()) << "while it was starting";
}

TEST(sender_child, a_failure_during_a_delay_never_shortens_it) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  for (const auto wait : {10ms, 30ms, 70ms, 150ms, 310ms, 630ms}) {
    sender.crash_and_resend(wait);
  }
  sender.crash();
  sender.child_started();
  ASSERT_EQ(sender.engine->due(), sender.now + Duration{1270ms});
  const auto due = sender.engine->due();

  sender.crash(); // the eighth draw is 10 ms

  EXPECT_EQ(sender.engine->due(), due);
}

TEST(sender_child, a_message_during_a_delay_starts_no_child) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  sender.start();
  sender.submit();
  sender.crash();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
}

TEST(sender_child, the_tick_starts_no_child_that_stopped_normally_with_nothing_owed) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);
  sender.crash();
  sender.child_started();
  ASSERT_THAT(sender.stop_normally(), IsEmpty());

  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 3"));
}

TEST(sender_child, the_tick_starts_a_child_for_what_came_during_the_delay) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);
  sender.crash();
  sender.child_started();
  sender.stop_normally();
  sender.submit();

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 3"));
}

TEST(sender_child, a_zero_delay_is_a_wake_up_and_nothing_is_done_inline) {
  EngineOptions options;
  options.backoff = BackOff{RandomSlots{.ceiling = 1}}; // never waits
  SenderEngine engine{std::make_shared<const EngineOptions>(options)};
  Effects effects;
  engine.step({}, input::Start{}, effects);
  effects.clear();

  engine.step(Instant{5s}, input::StartFailed{1, {1, "no"}}, effects);

  ASSERT_EQ(effects.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<effect::WakeAt>(effects[0]));
  EXPECT_EQ(std::get<effect::WakeAt>(effects[0]).at, Instant{5s});
  EXPECT_EQ(engine.phase(), Phase::waiting);
}

TEST(sender_living_child, is_none_before_the_first_between_two_and_after_the_end) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  EXPECT_EQ(sender.engine->living_child(), 0u);
  sender.start();
  EXPECT_EQ(sender.engine->living_child(), 1u);
  sender.submit();
  EXPECT_EQ(sender.engine->living_child(), 1u);
  sender.crash();
  EXPECT_EQ(sender.engine->living_child(), 0u);
  sender.wake_after(10ms);
  EXPECT_EQ(sender.engine->living_child(), 0u);
  sender.child_started();
  EXPECT_EQ(sender.engine->living_child(), 2u);
  sender.take(input::Stop{});
  EXPECT_EQ(sender.engine->living_child(), 0u);
}

TEST(sender_living_child, is_the_fallback_while_that_works) {
  EngineDriver sender{{.restart_limit = RestartLimit{0, 1h}, .has_fallback = true}};
  sender.start();
  sender.submit();
  sender.crash();
  sender.take(input::ChildStarted{2});

  EXPECT_EQ(sender.engine->living_child(), 2u);
}

} // namespace backoff_actor::engine_test
