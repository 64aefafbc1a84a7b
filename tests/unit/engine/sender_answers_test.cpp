#include "engine_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- answers that come too late -------------------------------------------------

std::uint64_t late_answers(const EngineDriver& sender) {
  return sender.engine->status(sender.now).counters.late_answers;
}

TEST(sender_answers, of_a_former_child_while_the_next_has_the_delivery_are_late) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  EXPECT_EQ(late_answers(sender), 0u);

  EXPECT_THAT(sender.ack(sender.hand_overs.at(1).front()), ElementsAre("acknowledge 1"));
  EXPECT_EQ(late_answers(sender), 1u);
  EXPECT_TRUE(log.all<event::Acknowledged>().at(0).is_late);

  sender.ack(1); // by the present child, which does not know
  EXPECT_EQ(late_answers(sender), 2u);
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 1u);
}

TEST(sender_answers, of_a_former_child_before_the_next_has_the_delivery_are_late) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.crash();

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(late_answers(sender), 1u);
  EXPECT_TRUE(log.all<event::Acknowledged>().at(0).is_late);
}

TEST(sender_answers, of_a_former_child_after_the_next_has_done_the_delivery_are_late) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.ack(1);
  const auto former = sender.hand_overs.at(1).front();
  EXPECT_EQ(late_answers(sender), 0u);

  sender.take(input::Acknowledged{former});
  sender.take(input::Nacked{former, {7, "busy"}});
  sender.take(input::Rejected{former, {8, "never"}});
  sender.take(input::Working{former});
  EXPECT_EQ(late_answers(sender), 4u) << "also of a sender that had fallen idle";
  sender.submit();
  sender.ack(2);
  EXPECT_EQ(late_answers(sender), 4u);
}

TEST(sender_answers, with_an_error_are_not_counted_as_late) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();

  sender.error(1, 7);
  EXPECT_EQ(late_answers(sender), 0u);
}

// -- error answer or crash ----------------------------------------------------

TEST(sender_answers,
     what_came_before_the_error_of_the_crash_was_meant_and_what_came_after_was_not) {
  EngineDriver sender;
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.error(1, 8);
  sender.error(2, 7); // the crash's
  sender.error(3, 8); // of the dying child

  EXPECT_THAT(sender.crash(7),
              ElementsAre("dead letter 1 rejected", "start child 2", "wake at 10ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3", "hand over 4"));
}

TEST(sender_answers, nothing_was_meant_if_the_crash_has_no_error_of_its_own) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 8);

  EXPECT_THAT(sender.crash(7), ElementsAre("start child 2", "wake at 10ms"));
}

TEST(sender_answers, a_child_that_stops_normally_meant_what_it_said) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 8);

  EXPECT_THAT(sender.stop_normally(), ElementsAre("dead letter 1 rejected"));
}

// A sender of three deliveries, all given back by its child.
class GivenBack : public ::testing::Test {
protected:
  void SetUp() override {
    sender.start();
    Decision given_back{Verdict::retry};
    given_back.blame = Blame::nobody;
    for (std::uint64_t delivery = 1; delivery <= 3; ++delivery) {
      sender.submit();
      sender.error(delivery, 8, false, given_back);
    }
  }

  EngineDriver sender{
    {.narrows_when_refused = true, .max_attempts = 1, .charging = Charging::every_failure()}};
};

TEST_F(GivenBack, by_a_child_that_stops_is_owed_again_and_charges_nobody) {
  EXPECT_THAT(sender.stop_normally(), ElementsAre("start child 2", "wake at 10ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2", "hand over 3"));
}

TEST_F(GivenBack, by_a_living_child_is_handed_over_one_at_a_time_from_then_on) {
  sender.take(input::ChildAlive{1, 1});
  sender.take(input::ChildAlive{1, 2});

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

TEST(sender_answers, no_later_answer_shows_that_the_child_survived_an_error) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(2, 7);

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1")) << "it may answer while it dies";
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_answers, a_probe_settles_only_the_errors_that_came_before_it) {
  EngineDriver sender;
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  ASSERT_THAT(sender.error(1, 7), ElementsAre("hold 1", "probe 1"));
  ASSERT_THAT(sender.error(2, 7), ElementsAre("hold 2"));

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}),
              ElementsAre("dead letter 1 rejected", "probe 2"));
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), IsEmpty()) << "once more";
  EXPECT_THAT(sender.take(input::ChildAlive{1, 2}), ElementsAre("dead letter 2 rejected"));
}

TEST(sender_answers, an_acknowledgement_among_the_held_errors_leaves_the_count_right) {
  EngineDriver sender;
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.error(1, 7);
  sender.error(2, 7);
  sender.ack(1);

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("probe 2"));
  EXPECT_EQ(sender.engine->owed(), 2u);
}

TEST(sender_answers, a_bounce_is_retried_whatever_the_child_died_of) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7);
  sender.error(2, 9, true);

  sender.crash(7);
  sender.child_started();

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

TEST(sender_answers, a_bounce_before_the_error_of_the_crash_was_not_meant) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 9, true);
  sender.error(2, 7);

  EXPECT_THAT(sender.crash(7), ElementsAre("start child 2", "wake at 10ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
}

TEST(sender_answers, a_bounce_on_behalf_of_a_child_that_lives_is_its_answer) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  ASSERT_THAT(sender.error(1, 9, true), ElementsAre("hold 1", "probe 1"));

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("dead letter 1 rejected"));
}

TEST(sender_answers, the_sign_of_life_of_an_earlier_child_settles_nothing) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 7);
  sender.crash(7);
  sender.child_started();
  sender.wake_after(10ms);
  ASSERT_THAT(sender.error(1, 7), ElementsAre("hold 1", "probe 2"));

  EXPECT_THAT(sender.take(input::ChildAlive{1, 2}), IsEmpty());
  EXPECT_THAT(sender.take(input::ChildAlive{2, 1}), IsEmpty());
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_answers, an_error_of_a_child_that_cannot_be_asked_is_final_at_once) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.take(input::ErrorAnswer{sender.hand_overs[1].back(), {7, "e"}, false, true}),
              ElementsAre("hold 1", "dead letter 1 rejected"));
}

TEST(sender_answers, an_error_answer_of_an_earlier_child_is_stale) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  sender.crash();
  sender.child_started();
  const input::ErrorAnswer late{first, {8, "e"}, false, false};

  EXPECT_THAT(sender.take(late), IsEmpty()) << "while the delay runs";
  sender.wake_after(10ms);
  EXPECT_THAT(sender.take(late), IsEmpty()) << "when it is handed over again";
}

TEST(sender_answers, an_acknowledgement_beats_an_error_that_is_still_held) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), IsEmpty());
}

TEST(sender_answers, the_first_error_about_a_hand_over_counts) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.error(1, 7), ElementsAre("hold 1", "probe 1"));

  EXPECT_THAT(sender.error(1, 8, false, Verdict::escalate), IsEmpty());
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("dead letter 1 rejected"));
}

TEST(sender_answers, an_error_held_when_the_sender_is_killed_is_owed) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.take(input::Kill{}), ElementsAre("stop child 1", "dead letter 1 stopped"));
}

// -- who is charged -----------------------------------------------------------

std::uint32_t attempts_of(const testing::EventLog& log, std::uint64_t delivery) {
  for (const auto& x : log.all<event::Acknowledged>())
    if (x.delivery == delivery)
      return x.attempts;
  return std::numeric_limits<std::uint32_t>::max();
}

TEST(sender_answers, charges_the_delivery_whose_error_carries_the_cause_of_the_crash) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.error(2, 7);
  sender.crash(7);
  sender.child_started();
  sender.wake_after(10ms);
  for (const std::uint64_t delivery : {1U, 2U, 3U})
    sender.ack(delivery);

  EXPECT_EQ(attempts_of(log, 1), 0u);
  EXPECT_EQ(attempts_of(log, 2), 1u);
  EXPECT_EQ(attempts_of(log, 3), 0u);
}

TEST(sender_answers, charges_the_oldest_in_flight_when_no_error_names_the_culprit) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.ack(1);
  sender.crash(7);
  sender.child_started();
  sender.wake_after(10ms);
  sender.ack(2);
  sender.ack(3);

  EXPECT_EQ(attempts_of(log, 2), 1u);
  EXPECT_EQ(attempts_of(log, 3), 0u);
}

TEST(sender_answers, charges_nobody_when_a_child_dies_that_was_handed_nothing) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.crash(7);
  sender.child_started();
  sender.crash(7); // during the delay
  sender.wake_after(40ms);
  sender.child_started();
  sender.ack(1);

  EXPECT_EQ(attempts_of(log, 1), 1u);
}

} // namespace backoff_actor::engine_test
