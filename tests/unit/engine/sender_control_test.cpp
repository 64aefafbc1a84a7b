#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- retry now, reset -------------------------------------------------------------

TEST(sender_control, retry_now_ends_the_delay) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.take(input::RetryNow{}), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_TRUE(sender.engine->backoff().is_started());
}

TEST(sender_control, retry_now_starts_a_child_that_waits_for_the_tick) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  sender.start();
  sender.submit();
  sender.crash();

  EXPECT_THAT(sender.take(input::RetryNow{}), ElementsAre("start child 2"));
}

TEST(sender_control, retry_now_ends_what_single_deliveries_wait_for) {
  for (const auto ordering : {Ordering::strict, Ordering::unordered}) {
    EngineDriver sender{{.ordering = ordering}};
    sender.start();
    sender.submit();
    sender.nack(1, 1min);

    EXPECT_THAT(sender.take(input::RetryNow{}), ElementsAre("hand over 1"));
  }
}

TEST(sender_control, a_reset_begins_the_backoff_anew_and_shortens_no_delay) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.take(input::Reset{}), IsEmpty());
  EXPECT_EQ(sender.engine->due(), Instant{40ms});
  EXPECT_EQ(sender.engine->backoff().retries(), 0u);
  sender.wake_after(30ms);
  EXPECT_THAT(sender.crash(), ElementsAre("start child 4", "wake at 50ms"));
}

TEST(sender_control, a_reset_clears_the_limits) {
  EngineDriver sender{{.restart_limit = RestartLimit{1, 1h}, .max_elapsed = 70ms}};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.take(input::Reset{});
  sender.now = Instant{1s};

  EXPECT_THAT(sender.crash(), ElementsAre("start child 3", "wake at 1.01s"));
}

// -- pause -------------------------------------------------------------------------

TEST(sender_control, a_pause_holds_back_hand_overs_and_nothing_else) {
  EngineDriver sender{{.ack_timeout = 100ms}};
  sender.start();
  sender.submit();
  sender.take(input::Pause{});

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 1", "wake at 110ms"));
  EXPECT_THAT(sender.down(1), ElementsAre("start child 2"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty()) << "the delay ran on";
  EXPECT_THAT(sender.take(input::Resume{}), ElementsAre("hand over 1", "wake at 210ms"));
}

TEST(sender_control, pausing_and_resuming_twice_is_as_once) {
  EngineDriver sender;
  sender.start();
  sender.take(input::Pause{});
  sender.take(input::Pause{});
  sender.submit();

  EXPECT_THAT(sender.take(input::Resume{}), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.take(input::Resume{}), IsEmpty());
}

// -- drain ---------------------------------------------------------------------------

TEST(sender_control, a_drain_is_answered_when_nothing_is_owed_any_more) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.take(input::Drain{5}), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::draining);
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "drained 5, 0 left"));
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: draining")) << "until it is told to resume";
  sender.take(input::Resume{});
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_control, a_drain_with_nothing_owed_is_answered_at_once) {
  EngineDriver sender;
  sender.start();

  EXPECT_THAT(sender.take(input::Drain{5}), ElementsAre("drained 5, 0 left"));
  EXPECT_EQ(sender.engine->phase(), Phase::draining);
}

TEST(sender_control, a_drain_says_at_its_deadline_what_is_left_and_goes_on) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.take(input::Drain{5, Instant{50ms}}), ElementsAre("wake at 50ms"));

  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("drained 5, 2 left"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "hand over 3"));
}

TEST(sender_control, of_two_drains_each_is_answered_and_the_longer_one_goes_on) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.take(input::Drain{5, Instant{50ms}});
  sender.take(input::Drain{6});

  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("drained 5, 1 left"));
  EXPECT_EQ(sender.engine->phase(), Phase::draining);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "drained 6, 0 left"));
}

TEST(sender_control, drains_end_in_order_of_their_deadlines) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.take(input::Drain{5, Instant{50ms}}), ElementsAre("wake at 50ms"));
  EXPECT_THAT(sender.take(input::Drain{6, Instant{20ms}}), ElementsAre("wake at 20ms"));
  sender.take(input::Drain{7, Instant{70ms}});

  EXPECT_THAT(sender.wake_after(20ms), ElementsAre("drained 6, 1 left", "wake at 50ms"));
  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("drained 5, 1 left", "drained 7, 1 left"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
}

TEST(sender_control, resuming_answers_an_open_drain) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.take(input::Drain{5});

  EXPECT_THAT(sender.take(input::Resume{}), ElementsAre("drained 5, 1 left"));
}

TEST(sender_control, stopping_answers_an_open_drain) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.take(input::Drain{5});

  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("ask to end 1", "wake at 5s"));
  EXPECT_THAT(sender.stop_normally(), ElementsAre("dead letter 1 stopped", "drained 5, 0 left"));
  EXPECT_THAT(sender.take(input::Drain{6}), ElementsAre("drained 6, 0 left"));
}

// -- status ----------------------------------------------------------------------------

TEST(sender_control, the_status_tells_how_the_sender_stands) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.submit();
  sender.now = Instant{5ms};
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.now = Instant{9ms};

  const auto status = sender.engine->status(sender.now);
  EXPECT_EQ(status.phase, Phase::waiting);
  EXPECT_EQ(status.incarnation, 2u);
  EXPECT_EQ(status.restarts, 1u);
  EXPECT_TRUE(status.is_delayed);
  EXPECT_EQ(status.due_in, 6ms);
  EXPECT_EQ(status.retries, 1u);
  EXPECT_EQ(status.last_delay, 10ms);
  EXPECT_EQ(status.owed, 2u);
  EXPECT_EQ(status.in_flight, 0u);
  EXPECT_EQ(status.oldest_age, 9ms);
  EXPECT_EQ(status.total_retries, 1u);
  SenderCounters counters;
  counters.accepted = 2;
  counters.hand_overs = 1;
  counters.crashes = 1;
  EXPECT_EQ(status.counters, counters);
  EXPECT_EQ(to_string(status),
            "waiting, 2 owed (0 in flight, oldest 9ms), child 2, retry in 6ms, 1 failure");
}

} // namespace backoff_actor::engine_test
