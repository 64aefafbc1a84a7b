#include "engine_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

EngineOptions hanging(WorksOn works_on = WorksOn::one) {
  EngineOptions options;
  options.ack_timeout = 100ms;
  options.kill_grace = 50ms;
  options.works_on = works_on;
  return options;
}

// -- a child that works on one at a time ----------------------------------------

TEST(sender_hangs, a_silent_child_is_told_to_end_and_its_successor_gets_what_is_owed) {
  EngineDriver sender{hanging()};
  sender.start();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1", "wake at 100ms"));

  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 1", "wake at 110ms"));
  EXPECT_EQ(sender.engine->phase(), Phase::waiting);
  EXPECT_THAT(sender.down(1), ElementsAre("start child 2"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1", "wake at 210ms"));
  EXPECT_EQ(sender.engine->status(sender.now).counters.hangs, 1u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.crashes, 0u) << "one failure, not two";
}

// plainjob counts from when a job was due: one that had waited is given away while it runs.
TEST(sender_hangs, a_message_that_waited_long_has_all_its_time_with_the_child) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.take(input::Pause{});
  sender.submit();
  sender.now = Instant{1h};

  EXPECT_THAT(sender.take(input::Resume{}).front(), "hand over 1");
  EXPECT_THAT(sender.wake_after(99ms), Each(StartsWith("wake at")));
  EXPECT_THAT(sender.wake_after(1ms).front(), "tell to end 1");
}

TEST(sender_hangs, the_time_of_the_oldest_begins_anew_with_every_acknowledgement) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.submit();
  sender.now = Instant{90ms};
  sender.ack(1);

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 190ms"));
  EXPECT_THAT(sender.wake_after(89ms), ElementsAre("wake at 190ms"));
  EXPECT_THAT(sender.wake_after(1ms), ElementsAre("tell to end 1", "wake at 200ms"));
}

TEST(sender_hangs, a_child_that_says_it_is_working_gets_its_time_anew) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.now = Instant{90ms};
  sender.working(1);

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 190ms"));
  EXPECT_THAT(sender.wake_after(90ms), ElementsAre("tell to end 1", "wake at 200ms"));
}

TEST(sender_hangs, an_idle_child_is_never_out_of_time) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.ack(1);

  EXPECT_THAT(sender.wake_after(10h), IsEmpty());
}

TEST(sender_hangs, the_delivery_that_the_child_was_silent_about_is_charged) {
  auto options = hanging();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.wake_after(100ms),
              ElementsAre("tell to end 1", "dead letter 1 attempts_exhausted", "wake at 110ms"));
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_hangs, a_child_that_does_not_end_within_the_grace_is_abandoned) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.wake_after(100ms);

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 150ms"))
    << "the delay is over, the child is not";
  EXPECT_THAT(sender.wake_after(40ms), ElementsAre("abandon 1", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "wake at 250ms"));
  EXPECT_EQ(sender.engine->status(sender.now).abandoned, 1u);
  EXPECT_THAT(sender.down(1), IsEmpty());
  EXPECT_EQ(sender.engine->status(sender.now).abandoned, 0u);
}

TEST(sender_hangs, and_so_is_the_next_that_hangs) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.wake_after(100ms);
  sender.wake_after(50ms);
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "wake at 250ms"));
  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 2", "wake at 280ms"));

  EXPECT_THAT(sender.wake_after(30ms), ElementsAre("wake at 300ms"));
  EXPECT_THAT(sender.wake_after(20ms), ElementsAre("abandon 2", "start child 3"));
  EXPECT_EQ(sender.engine->status(sender.now).abandoned, 2u);
}

TEST(sender_hangs, or_its_end_is_waited_for) {
  auto options = hanging();
  options.after_grace = AfterGrace::wait;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.wake_after(100ms);
  sender.wake_after(10ms);

  EXPECT_THAT(sender.wake_after(40ms), IsEmpty());
  EXPECT_THAT(sender.wake_after(10h), IsEmpty());
  EXPECT_THAT(sender.down(1), ElementsAre("start child 2"));
  EXPECT_EQ(sender.engine->status(sender.now).abandoned, 0u);
}

TEST(sender_hangs, a_verdict_on_hangs_can_end_the_delivery_or_the_sender) {
  auto options = hanging();
  options.on_hang = Verdict::reject;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.wake_after(100ms),
              ElementsAre("tell to end 1", "dead letter 1 rejected", "wake at 110ms"));

  options.on_hang = Verdict::give_up;
  EngineDriver other{options};
  other.start();
  other.submit();
  EXPECT_THAT(other.wake_after(100ms), ElementsAre("tell to end 1", "give up", "wake at 150ms"));
  EXPECT_THAT(other.crash(), ElementsAre("dead letter 1 gave_up"));
}

TEST(sender_hangs, a_child_that_is_told_to_end_counts_as_a_failed_restart) {
  auto options = hanging();
  options.restart_limit = RestartLimit{0, 1s};
  EngineDriver sender{options};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 1", "give up", "wake at 150ms"));
  EXPECT_THAT(sender.crash(), ElementsAre("dead letter 1 gave_up"));
}

// -- a child that works on many ---------------------------------------------------

TEST(sender_hangs, each_has_its_own_time_with_a_child_that_works_on_many) {
  EngineDriver sender{hanging(WorksOn::many)};
  sender.start();
  sender.submit();
  sender.now = Instant{60ms};
  sender.submit();
  sender.now = Instant{90ms};
  sender.working(1);

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 160ms")) << "that of 2";
  EXPECT_THAT(sender.wake_after(60ms), ElementsAre("tell to end 1", "wake at 170ms"));
}

TEST(sender_hangs, a_child_of_many_that_works_on_the_younger_gets_no_time_for_the_oldest) {
  testing::EventLog log;
  auto options = hanging(WorksOn::many);
  options.on_event = log.hook();
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.now = Instant{50ms};
  sender.submit();
  sender.now = Instant{90ms};
  sender.working(2);

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("tell to end 1", "wake at 110ms"));
  ASSERT_EQ(log.count<event::AckTimedOut>(), 1u);
  EXPECT_EQ(log.all<event::AckTimedOut>()[0].delivery, 1u);
}

TEST(sender_hangs, the_suspects_of_a_hang_go_one_at_a_time) {
  auto options = hanging(WorksOn::many);
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 1", "wake at 110ms"))
    << "either may be what it hangs on";
  sender.down(1);
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1", "wake at 210ms"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));

  EXPECT_THAT(sender.wake_after(100ms),
              ElementsAre("tell to end 2", "dead letter 2 attempts_exhausted", "wake at 220ms"));
}

// -- answers of which it is not known whether the child survived them ---------------

// The child answered 1 with an error, then hangs on 2, so that it does not answer the probe either.
EngineDriver hanging_behind_an_error() {
  auto options = hanging();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.submit();
  sender.now = Instant{40ms};
  sender.error(1, 7);
  sender.now = Instant{100ms};
  EXPECT_THAT(sender.take(input::Wake{}), ElementsAre("wake at 140ms"));
  EXPECT_THAT(sender.wake_after(40ms),
              ElementsAre("tell to end 1", "dead letter 2 attempts_exhausted", "wake at 150ms"));
  return sender;
}

TEST(sender_hangs, an_error_answer_before_a_hang_was_meant_if_the_child_ends_as_it_was_told) {
  auto sender = hanging_behind_an_error();

  EXPECT_THAT(sender.down(1), ElementsAre("dead letter 1 rejected", "start child 2"));
}

TEST(sender_hangs, also_if_it_was_all_that_the_child_held) {
  auto options = hanging();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 1", "wake at 110ms"));
  EXPECT_THAT(sender.down(1), ElementsAre("dead letter 1 rejected", "start child 2"));
}

TEST(sender_hangs, nor_is_it_undone_by_what_the_child_refuses_after_it_was_told_to_end) {
  auto sender = hanging_behind_an_error();

  EXPECT_THAT(sender.nack(1), IsEmpty());
  EXPECT_THAT(sender.reject(1), IsEmpty());
  EXPECT_THAT(sender.down(1), ElementsAre("dead letter 1 rejected", "start child 2"));
}

TEST(sender_hangs, or_if_it_answers_the_probe_before_it_ends) {
  auto sender = hanging_behind_an_error();

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("dead letter 1 rejected"));
}

TEST(sender_hangs, a_refusal_before_a_hang_is_honoured_from_when_it_is_known_to_be_one) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7, false, {Verdict::retry, 2s});
  sender.wake_after(100ms);

  EXPECT_THAT(sender.down(1), ElementsAre("start child 2"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 2.1s"));
  EXPECT_THAT(sender.wake_after(1990ms), ElementsAre("hand over 1", "wake at 2.2s"));
}

TEST(sender_hangs, it_was_that_of_a_crash_if_the_child_ends_of_it) {
  auto sender = hanging_behind_an_error();

  EXPECT_THAT(sender.take(input::ChildDown{1, {7, "crash"}}), ElementsAre("start child 2"));
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_hangs, and_what_an_abandoned_child_meant_is_not_known_so_it_is_owed) {
  auto sender = hanging_behind_an_error();
  sender.wake_after(10ms);

  EXPECT_THAT(sender.wake_after(40ms), ElementsAre("abandon 1", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "wake at 290ms"));
}

TEST(sender_hangs, but_its_service_is_left_alone_for_as_long_as_it_asked) {
  EngineDriver sender{hanging()};
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7, false, {Verdict::retry, 2s});
  EXPECT_THAT(sender.wake_after(100ms), ElementsAre("tell to end 1", "wake at 110ms"));

  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("abandon 1", "start child 2", "wake at 2.15s"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("hand over 1", "wake at 2.25s"));
}

TEST(sender_hangs, with_many_an_error_begins_the_time_of_its_delivery_anew) {
  auto options = hanging(WorksOn::many);
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.now = Instant{90ms};
  sender.error(1, 7);
  sender.submit();

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 190ms"));
  EXPECT_THAT(sender.wake_after(90ms), ElementsAre("tell to end 1", "wake at 200ms"))
    << "nobody knows whether 2 is what it hangs on";
}

// -- ghosts -----------------------------------------------------------------------

TEST(sender_hangs, a_child_that_is_silent_about_an_expired_delivery_costs_nobody_an_attempt) {
  auto options = hanging();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  EngineDriver sender{options};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{80ms}});
  sender.submit();
  EXPECT_THAT(sender.wake_after(80ms), ElementsAre("dead letter 1 expired", "wake at 100ms"));

  EXPECT_THAT(sender.wake_after(20ms), ElementsAre("tell to end 1", "wake at 110ms"));
  EXPECT_EQ(sender.engine->owed(), 1u) << "2 was not what it hung on";
}

} // namespace backoff_actor::engine_test
