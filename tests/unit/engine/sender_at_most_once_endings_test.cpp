// When a child of a sender that delivers at most once is well again, and what ends the sender: a
// normal stop of the child, and the last message.

#include "at_most_once.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// -- health -----------------------------------------------------------------------------------

// Crashes once, and a second time when its successor has lived for `life`.
Lines second_crash_after(EngineDriver& sender, Duration life) {
  sender.start();
  sender.crash();
  sender.wake_after(10ms);
  sender.child_started();
  sender.now = sender.now + life;
  return sender.crash();
}

TEST(sender_health, a_child_that_lived_long_enough_begins_the_backoff_anew) {
  EngineDriver sender{akkas({.healthy_after = 1s})};

  EXPECT_THAT(second_crash_after(sender, 1s), ElementsAre("wake at 1.02s"));
  EXPECT_EQ(sender.engine->backoff().retries(), 1u);
  EXPECT_EQ(sender.engine->backoff().resets(), 1u);
}

TEST(sender_health, one_that_lived_a_nanosecond_less_does_not) {
  EngineDriver sender{akkas({.healthy_after = 1s})};

  EXPECT_THAT(second_crash_after(sender, 1s - 1ns), ElementsAre("wake at 1.039999999s"));
  EXPECT_EQ(sender.engine->backoff().retries(), 2u);
}

TEST(sender_health, of_itself_it_never_begins_anew_if_so_wished) {
  EngineDriver sender{akkas()};
  second_crash_after(sender, 24h * 365 * 200);

  EXPECT_EQ(sender.engine->backoff().retries(), 2u);
}

TEST(sender_health, the_status_knows_it_before_anything_comes) {
  EngineDriver sender{akkas({.healthy_after = 1s})};
  sender.start();
  sender.crash();
  sender.wake_after(10ms);
  sender.child_started();
  EXPECT_EQ(status(sender).retries, 1u);

  sender.now = sender.now + 1s;

  EXPECT_EQ(status(sender).retries, 0u);
  EXPECT_EQ(status(sender).resets, 1u);
  EXPECT_EQ(status(sender).last_delay, 0s);
  EXPECT_EQ(status(sender).total_retries, 1u);
  sender.submit();
  EXPECT_EQ(status(sender).resets, 1u) << "it has been counted once";
}

TEST(sender_health, a_child_that_was_recreated_at_once_is_well_only_after_the_delay) {
  EngineDriver sender{at_most_once({.healthy_after = 15ms})};
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  sender.now = sender.now + 14ms;
  EXPECT_EQ(status(sender).retries, 1u) << "24 ms since its start, 14 ms since the delay";

  sender.now = sender.now + 1ms;
  EXPECT_EQ(status(sender).retries, 0u);
}

TEST(sender_health, a_delay_that_was_cut_short_counts_from_its_end) {
  EngineDriver sender{at_most_once({.healthy_after = 5ms})};
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.take(input::RetryNow{});
  sender.now = sender.now + 5ms;

  EXPECT_EQ(status(sender).retries, 0u);
}

TEST(sender_health, no_timer_runs_for_it) {
  EngineDriver sender{akkas({.healthy_after = 1s})};
  sender.start();
  sender.crash();
  sender.wake_after(10ms);

  EXPECT_THAT(sender.child_started(), IsEmpty());
}

TEST(sender_health, a_reset_by_hand_begins_anew_at_once) {
  EngineDriver sender{akkas({.healthy_after = 1s})};
  sender.start();
  sender.crash();
  sender.take(input::Reset{});

  EXPECT_EQ(status(sender).retries, 0u);
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2")) << "the delay goes on";
}

TEST(sender_health, a_normal_stop_of_a_child_that_was_well_begins_anew_too) {
  EngineDriver sender{akkas({.healthy_after = 1s})};
  sender.start();
  sender.crash();
  sender.wake_after(10ms);
  sender.child_started();
  sender.now = sender.now + 1s;
  sender.stop_normally();

  EXPECT_EQ(sender.engine->backoff().retries(), 0u);
}

// -- normal stops -----------------------------------------------------------------------------

TEST(sender_normal_stop, rests_until_the_next_message) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.stop_normally(), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 2"));
}

TEST(sender_normal_stop, is_a_failure_if_messages_wait_so_that_nothing_spins) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.take(input::Pause{});
  sender.submit();

  EXPECT_THAT(sender.stop_normally(), ElementsAre("wake at 10ms"));
}

TEST(sender_normal_stop, can_be_as_a_crash) {
  EngineDriver sender{akkas({.after_normal_stop = AfterNormalStop::restart})};
  sender.start();

  EXPECT_THAT(sender.stop_normally(), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  EXPECT_EQ(status(sender).counters.crashes, 1u);
}

TEST(sender_normal_stop, can_end_the_sender_and_what_waits) {
  EngineDriver sender{at_most_once({.after_normal_stop = AfterNormalStop::end})};
  sender.start();
  sender.take(input::Pause{});
  sender.submit();

  EXPECT_THAT(sender.stop_normally(), ElementsAre("end normally", "dead letter 1 stopped"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
}

TEST(sender_normal_stop, which_ends_the_sender_is_told_from_a_crash_which_does_not) {
  EngineDriver sender{akkas({.after_normal_stop = AfterNormalStop::end})};
  sender.start();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms"));
}

// -- the last message -------------------------------------------------------------------------

TEST(sender_final_stop, is_forwarded_and_the_sender_ends_with_the_child) {
  EngineDriver sender{at_most_once()};
  sender.start();

  EXPECT_THAT(sender.submit_final_stop(), ElementsAre("forward last 1 to 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("forward 2 to 1")) << "the child lives";
  EXPECT_THAT(sender.stop_normally(), ElementsAre("end normally"));
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: stopped"));
}

TEST(sender_final_stop, ends_with_a_child_that_crashes_over_it_too) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit_final_stop();

  EXPECT_THAT(sender.crash(), ElementsAre("end normally"));
}

TEST(sender_final_stop, does_not_end_the_sender_with_any_other_message) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.stop_normally(), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::starting);
}

TEST(sender_final_stop, without_a_child_ends_at_once_and_is_a_dead_letter_with_what_waits) {
  EngineDriver sender{akkas()};
  sender.start();
  sender.crash();
  sender.submit();

  EXPECT_THAT(
    sender.submit_final_stop(),
    ElementsAre("accept 2", "end normally", "dead letter 1 stopped", "dead letter 2 stopped"));
  EXPECT_EQ(status(sender).counters.dead_lettered, 2u);
}

TEST(sender_final_stop, is_told_even_if_the_buffer_is_full) {
  EngineDriver sender{akkas({.capacity = 1})};
  sender.start();
  sender.crash();
  sender.submit();

  EXPECT_THAT(
    sender.submit_final_stop(),
    ElementsAre("accept 2", "end normally", "dead letter 1 stopped", "dead letter 2 stopped"));
}

TEST(sender_final_stop, ends_a_child_that_is_just_being_made) {
  EngineDriver sender{at_most_once()};
  sender.take(input::Start{});

  EXPECT_THAT(sender.submit_final_stop(),
              ElementsAre("accept 1", "end normally", "stop child 1", "dead letter 1 stopped"));
  EXPECT_THAT(sender.child_started(), ElementsAre("stop child 1"));
}

TEST(sender_final_stop, goes_behind_what_waits_though_a_delay_runs) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.submit();

  EXPECT_THAT(sender.submit_final_stop(), ElementsAre("forward 2 to 2", "forward last 3 to 2"));
}

TEST(sender_final_stop, is_not_heard_in_a_drain) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.take(input::Drain{1});

  EXPECT_THAT(sender.submit_final_stop(), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender.stop_normally(), IsEmpty());
}

} // namespace

} // namespace backoff_actor::engine_test
