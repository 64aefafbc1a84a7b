#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- window ---------------------------------------------------------------------

TEST(sender_culprits, a_child_holds_no_more_than_its_window) {
  EngineDriver sender{{.max_in_flight = 2}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 3"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3"));
}

TEST(sender_culprits, the_window_opens_by_one_with_every_acknowledgement_after_a_crash) {
  EngineDriver sender{{.max_in_flight = 4}};
  sender.start();
  for (int i = 0; i < 9; ++i)
    sender.submit();
  sender.crash_and_resend(10ms);

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2", "hand over 3"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 4", "hand over 5"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3", "hand over 6", "hand over 7"));
  EXPECT_THAT(sender.ack(4), ElementsAre("acknowledge 4", "hand over 8")) << "the full window";
}

TEST(sender_culprits, the_largest_window_is_no_smaller_after_an_acknowledgement) {
  EngineDriver sender{{.max_in_flight = std::numeric_limits<std::uint32_t>::max()}};
  sender.start();
  sender.submit();
  sender.ack(1);

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

// -- a child that works on one at a time ---------------------------------------------

TEST(sender_culprits, a_poison_message_costs_as_many_crashes_as_it_has_attempts) {
  EngineDriver sender{{.max_attempts = 3, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.crash_and_resend(30ms);

  EXPECT_THAT(sender.crash(),
              ElementsAre("dead letter 1 attempts_exhausted", "start child 4", "wake at 110ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(70ms), ElementsAre("hand over 2"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
}

TEST(sender_culprits,
     the_cause_of_a_dead_letter_is_that_of_its_last_crash_though_others_share_the_code) {
  EngineDriver sender{{.max_attempts = 3, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  const auto crash_of = [&](const char* text) {
    Effects effects;
    sender.engine->step(sender.now, input::ChildDown{sender.engine->incarnation(), {7, text}},
                        effects);
    return effects;
  };
  for (const auto* text : {"no disk", "no disk"}) {
    crash_of(text);
    sender.child_started();
    sender.wake_after(1h);
  }

  const auto effects = crash_of("no power");

  const auto* const letter = std::get_if<effect::DeadLetter>(&effects.at(0));
  ASSERT_TRUE(letter != nullptr && letter->cause);
  EXPECT_EQ(letter->cause->code, 7u);
  EXPECT_EQ(letter->cause->text, "no power");
}

TEST(sender_culprits, what_was_answered_is_not_charged_for_a_crash_without_a_word) {
  EngineDriver sender{{.max_attempts = 1, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 8); // of which it is not known whether it was meant

  EXPECT_THAT(sender.crash(7),
              ElementsAre("dead letter 2 attempts_exhausted", "start child 2", "wake at 10ms"));
}

TEST(sender_culprits, an_acknowledgement_clears_no_attempts) {
  EngineDriver sender{{.max_attempts = 2, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(2, 7);
  sender.crash_and_resend(10ms); // of 2
  sender.ack(1);

  EXPECT_THAT(sender.crash(), Contains("dead letter 2 attempts_exhausted"));
}

TEST(sender_culprits, a_delivery_that_expired_with_the_child_is_the_culprit_and_nobody_else) {
  EngineDriver sender{{.max_attempts = 1, .charging = Charging::every_failure()}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{80ms}});
  sender.submit();
  sender.wake_after(80ms);

  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 90ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
}

TEST(sender_culprits,
     an_expired_delivery_takes_room_in_the_window_until_the_child_is_done_with_it) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{80ms}});
  sender.submit();
  EXPECT_THAT(sender.wake_after(80ms), ElementsAre("dead letter 1 expired"));

  EXPECT_THAT(sender.ack(1), ElementsAre("hand over 2"));
}

TEST(sender_culprits, the_error_of_an_expired_delivery_s_crash_is_charged_to_nobody_else) {
  EngineDriver sender{{.max_attempts = 1, .charging = Charging::every_failure()}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{80ms}});
  sender.submit();
  sender.wake_after(80ms);
  EXPECT_THAT(sender.error(1, 7), ElementsAre("probe 1"))
    << "there is no client left to keep it for";

  EXPECT_THAT(sender.crash(7), ElementsAre("start child 2", "wake at 90ms"));
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_culprits, an_expired_delivery_that_was_answered_with_an_error_takes_no_room_for_ever) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{80ms}});
  sender.submit();
  sender.error(1, 7);
  EXPECT_THAT(sender.wake_after(80ms), ElementsAre("dead letter 1 expired"));

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("hand over 2"));
}

TEST(sender_culprits, a_late_acknowledgement_frees_no_room_with_the_present_child) {
  EngineDriver sender{{.max_in_flight = 1, .ack_timeout = 100ms, .kill_grace = 0ms}};
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  sender.wake_after(100ms);
  sender.wake_after(0ms);
  sender.child_started();
  sender.wake_after(10ms);
  ASSERT_EQ(sender.hand_overs[1].size(), 2u);
  const auto second = sender.hand_overs[1].back();
  sender.submit();

  EXPECT_THAT(sender.ack(first), ElementsAre("acknowledge 1")) << "of the abandoned child";
  EXPECT_THAT(sender.ack(second), ElementsAre("hand over 2"));
}

// -- a child that works on many ------------------------------------------------------

TEST(sender_culprits, suspects_go_one_at_a_time_until_one_crashes_alone) {
  EngineDriver sender{
    {.works_on = WorksOn::many, .max_attempts = 1, .charging = Charging::every_failure()}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 10ms")) << "nobody is charged";
  sender.child_started();
  sender.submit();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));

  EXPECT_THAT(sender.crash(),
              ElementsAre("dead letter 2 attempts_exhausted", "start child 3", "wake at 20ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 3"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3", "hand over 4"));
}

TEST(sender_culprits, a_suspect_waits_until_the_others_are_done) {
  EngineDriver sender{{.works_on = WorksOn::many, .ordering = Ordering::unordered}};
  sender.start();
  for (std::uint64_t delivery = 1; delivery <= 5; ++delivery) {
    sender.submit();
    sender.ack(delivery);
  }
  sender.submit(); // 6 crashes alone, and waits for 10, 10 and 70 ms of its own
  for (int i = 0; i < 2; ++i) {
    sender.take(input::Reset{});
    sender.crash_and_resend(20ms);
  }
  sender.take(input::Reset{});
  sender.crash();
  sender.child_started();
  sender.submit();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 7", "wake at 120ms"));
  sender.ack(7); // now there is room for two
  sender.submit();

  EXPECT_THAT(sender.wake_after(70ms), IsEmpty()) << "6 is ready, 8 is in flight";
  EXPECT_THAT(sender.submit(), ElementsAre("accept 9"));
  EXPECT_THAT(sender.ack(8), ElementsAre("acknowledge 8", "hand over 6"));
  EXPECT_THAT(sender.ack(6), ElementsAre("acknowledge 6", "hand over 9")) << "6 was alone";
}

TEST(sender_culprits, a_refusal_clears_a_suspect) {
  EngineDriver sender{{.works_on = WorksOn::many, .ordering = Ordering::unordered}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.nack(1, 1s);
  EXPECT_THAT(sender.wake_after(30ms), ElementsAre("hand over 2", "wake at 1.01s"));
  sender.ack(2); // now there is room for two
  sender.submit();

  EXPECT_THAT(sender.wake_after(970ms), ElementsAre("hand over 1")) << "although 3 is in flight";
}

// -- other orders -----------------------------------------------------------------------

TEST(sender_culprits, unordered_what_failed_waits_for_a_backoff_of_its_own_on_top_of_the_senders) {
  EngineDriver sender{{.ordering = Ordering::unordered, .max_in_flight = 1}};
  sender.start();
  sender.submit();
  sender.ack(1);
  sender.submit(); // 2 crashes, and waits for 10 ms of its own after the sender's 10 ms
  sender.submit();
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 3", "wake at 20ms"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
}

TEST(sender_culprits, unordered_everything_passes_what_always_crashes) {
  EngineDriver sender{{.ordering = Ordering::unordered, .max_in_flight = 1}};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  // The poison waits for a delay of its own; were it zero, it would be in flight again now.
  for (int i = 0; sender.engine->owed() > 1 && i < 100; ++i) {
    for (std::uint64_t delivery = 2; delivery <= 4; ++delivery)
      if (sender.in_flight(delivery))
        sender.ack(delivery);
    if (sender.in_flight(1)) {
      sender.crash();
      sender.child_started();
    }
    sender.wake_after(100ms);
  }

  EXPECT_EQ(sender.engine->owed(), 1u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.acknowledged, 3u);
}

TEST(sender_culprits, per_key_nobody_follows_while_a_child_works_on_one_that_expired) {
  EngineDriver sender{{.works_on = WorksOn::many, .ordering = Ordering::per_key}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{50ms}, .key = 5});
  sender.take(input::Submit{.key = 5});

  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("dead letter 1 expired"));
  EXPECT_THAT(sender.ack(1), ElementsAre("hand over 2"));
}

TEST(sender_culprits, per_key_only_the_key_of_the_culprit_waits) {
  EngineDriver sender{{.ordering = Ordering::per_key, .retry_after = 1h}};
  sender.start();
  sender.take(input::Submit{.key = 5}); // 1
  sender.take(input::Submit{.key = 5}); // 2
  EXPECT_THAT(sender.take(input::Submit{.key = 6}), ElementsAre("accept 3", "hand over 3"));
  sender.ack(3);
  sender.nack(1, 1min);
  sender.take(input::Submit{.key = 6}); // 4

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 4", "wake at 1min"));
  EXPECT_THAT(sender.ack(4), ElementsAre("acknowledge 4")) << "2 waits for 1";
  EXPECT_THAT(sender.wake_after(1min), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

// groupmq shuts the group of a lost worker's job for good.
TEST(sender_culprits, per_key_what_a_lost_child_had_is_handed_over_once_and_frees_its_key) {
  EngineDriver sender{{.ordering = Ordering::per_key}};
  sender.start();
  sender.take(input::Submit{.key = 5}); // 1
  sender.take(input::Submit{.key = 5}); // 2
  sender.crash();

  EXPECT_THAT(sender.child_started(), ElementsAre());
  sender.wake_after(1h);
  sender.wake_after(1h);
  EXPECT_EQ(sender.hand_overs.at(1).size(), 2u);
  EXPECT_EQ(sender.hand_overs.count(2), 0u) << "2 waits for 1";
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

// pg-boss shuts the key of a job that has failed for good.
TEST(sender_culprits, per_key_a_dead_letter_lets_the_next_of_its_key_go) {
  EngineDriver sender{{.ordering = Ordering::per_key}};
  sender.start();
  sender.take(input::Submit{.key = 5}); // 1
  sender.take(input::Submit{.key = 5}); // 2

  EXPECT_THAT(sender.reject(1), ElementsAre("dead letter 1 rejected", "hand over 2"));
}

} // namespace backoff_actor::engine_test
