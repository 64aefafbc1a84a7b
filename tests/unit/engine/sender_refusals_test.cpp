#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(sender_refusals, what_is_refused_for_now_goes_to_the_same_child_again_after_the_delay) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.nack(1), ElementsAre("wake at 10ms"));
  EXPECT_EQ(sender.engine->phase(), Phase::waiting);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
  EXPECT_EQ(sender.engine->status(sender.now).counters.nacks, 1u);
}

TEST(sender_refusals, a_refused_delivery_goes_before_what_is_younger_and_not_in_flight) {
  EngineDriver sender{{.max_in_flight = 2}};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.nack(1);

  EXPECT_THAT(sender.wake_after(10ms), IsEmpty()) << "2 is still with the child, one is enough";
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3", "hand over 4"));
}

TEST(sender_refusals, one_outage_is_one_failure_however_many_were_in_flight) {
  EngineDriver sender{{.works_on = WorksOn::many}};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();

  EXPECT_THAT(sender.nack(2), ElementsAre("wake at 10ms"));
  for (const std::uint64_t delivery : {1U, 3U, 4U})
    EXPECT_THAT(sender.nack(delivery), IsEmpty());
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u);
  EXPECT_EQ(sender.engine->due(), Instant{10ms});
}

TEST(sender_refusals, a_child_that_has_refused_once_can_be_given_one_at_a_time_from_then_on) {
  EngineDriver sender{{.narrows_when_refused = true}};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.nack(1);
  for (std::uint64_t delivery = 2; delivery <= 4; ++delivery)
    sender.ack(delivery);
  sender.wake_after(10ms);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));

  EXPECT_THAT(sender.submit(), ElementsAre("accept 5", "hand over 5"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 6"));
  EXPECT_THAT(sender.ack(5), ElementsAre("acknowledge 5", "hand over 6"));
}

// -- when to come back ----------------------------------------------------------

TEST(sender_refusals, the_service_is_never_tried_earlier_than_it_asked) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.nack(1, 2s), ElementsAre("wake at 2s"));
  EXPECT_THAT(sender.wake_after(1999ms), ElementsAre("wake at 2s"));
  EXPECT_THAT(sender.wake_after(1ms), ElementsAre("hand over 1"));
}

TEST(sender_refusals, the_wish_of_one_that_was_in_flight_with_others_counts_too) {
  EngineDriver sender{{.works_on = WorksOn::many}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.nack(1);
  sender.nack(2, 3s);

  EXPECT_EQ(sender.engine->due(), Instant{3s});
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u);
}

TEST(sender_refusals, a_wish_at_the_ceiling_is_honoured_and_beyond_it_the_delivery_is_given_up) {
  EngineDriver sender{{.retry_after = 5s}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.nack(1, 5s), ElementsAre("wake at 5s"));
  EXPECT_THAT(sender.nack(2, 5s + Duration{1}), ElementsAre("dead letter 2 retry_after_too_long"));
}

TEST(sender_refusals, nobody_waits_for_longer_than_the_ceiling_and_all_wait_as_long) {
  EngineDriver sender{{.max_in_flight = 1, .retry_after = 5s}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.nack(1, 1h), ElementsAre("dead letter 1 retry_after_too_long", "wake at 5s"));
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("hand over 2"));
}

TEST(sender_refusals, the_wish_is_read_as_the_options_say) {
  using Reading = RetryAfterReading;
  const struct {
    Reading reading;
    Duration wish;
    const char* expected;
  } rows[] = {
    {Reading::without_bound(), 48h, "wake at 48h"},
    {Reading::cut_to(5s), 48h, "wake at 5s"},
    {Reading::cut_to(5s), 4s, "wake at 4s"},
    {Reading::cut_to_backoff_plus(5s), 48h, "wake at 5.01s"},
    {Reading::ignored(), 48h, "wake at 10ms"},
    {Reading::cut_to(5s), 1ms, "wake at 10ms"},
    {Reading::cut_to(5s).in_place_of_backoff(), 1ms, "wake at 1ms"},
    {Reading::cut_to(5s).in_place_of_backoff(), 0s, "wake at 10ms"}, // 0 asks for nothing
    {Reading::ignored().in_place_of_backoff(), 1ms, "wake at 10ms"},
  };
  for (const auto& row : rows) {
    EngineDriver sender{{.retry_after = row.reading}};
    sender.start();
    sender.submit();
    EXPECT_THAT(sender.nack(1, row.wish), ElementsAre(row.expected)) << to_string(row.reading);
  }
}

TEST(sender_refusals, unordered_the_wish_is_read_for_the_delivery_alone) {
  using Reading = RetryAfterReading;
  const struct {
    Reading reading;
    Duration wish;
    const char* expected;
  } rows[] = {
    {Reading::cut_to(5s), 48h, "wake at 5s"},
    {Reading::cut_to_backoff_plus(5s), 48h, "wake at 5.01s"},
    {Reading::ignored(), 48h, "wake at 10ms"},
    {Reading::cut_to(5s).in_place_of_backoff(), 1ms, "wake at 1ms"},
  };
  const auto ten_ms = own(OwnRetries{{}, Policy{Fixed{10ms}}});
  for (const auto& row : rows) {
    EngineDriver sender{{.ordering = Ordering::unordered, .retry_after = row.reading}};
    sender.start();
    sender.take(input::Submit{.own = ten_ms});
    EXPECT_THAT(sender.nack(1, row.wish), ElementsAre(row.expected)) << to_string(row.reading);
  }
}

TEST(sender_refusals, after_a_crash_a_wish_beyond_the_bound_is_cut_and_ends_nothing) {
  EngineDriver sender{{.retry_after = 5s}};
  sender.start();
  sender.submit();

  sender.take(input::ChildDown{1, Cause{7, "503"}, {Verdict::retry, 1h}});
  EXPECT_EQ(sender.engine->due(), Instant{5s});
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_refusals, a_service_that_refuses_what_has_expired_meanwhile_is_left_alone_too) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{50ms}});
  sender.submit();
  sender.wake_after(50ms);

  EXPECT_THAT(sender.nack(1, 2s), ElementsAre("wake at 2.05s"));
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("hand over 2"));
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u);
}

TEST(sender_refusals, a_child_that_stops_over_what_has_expired_is_heard_about_its_service) {
  EngineDriver sender;
  sender.start();
  sender.submit_within(50ms);
  sender.wake_after(50ms);
  sender.error(1, 7, false, {Verdict::retry, 2s});

  EXPECT_THAT(sender.stop_normally(), ElementsAre("wake at 2.05s")) << "no child: nothing is owed";
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 2"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("hand over 2"));
}

TEST(sender_refusals, a_wish_is_honoured_even_if_the_child_crashed_over_something_else) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 8, false, {Verdict::retry, 2s});

  EXPECT_THAT(sender.crash(9), ElementsAre("start child 2", "wake at 2s"));
}

TEST(sender_refusals, a_child_that_refuses_when_it_is_out_of_time_is_heard_about_its_service) {
  EngineDriver sender{{.ack_timeout = 100ms, .kill_grace = 50ms}};
  sender.start();
  sender.submit();
  const auto late = sender.hand_overs[1].back();
  sender.wake_after(100ms);
  sender.take(input::Nacked{late, {7, "busy"}, Duration{30s}});
  EXPECT_EQ(sender.engine->due(), Instant{30100ms});
  EXPECT_EQ(sender.engine->status(sender.now).counters.nacks, 0u) << "it has been charged already";

  sender.down(1);
  sender.child_started();
  EXPECT_THAT(sender.wake_after(1s), ElementsAre("wake at 30.1s"));
}

TEST(sender_refusals, so_is_one_whose_error_says_when_to_come_back) {
  EngineDriver sender{{.ack_timeout = 100ms, .kill_grace = 50ms}};
  sender.start();
  sender.submit();
  sender.wake_after(100ms);
  sender.error(1, 7, false, {Verdict::retry, 30s});
  EXPECT_EQ(sender.engine->due(), Instant{30100ms});
  EXPECT_EQ(sender.engine->status(sender.now).counters.nacks, 0u) << "it has been charged already";

  sender.down(1);
  sender.child_started();
  EXPECT_THAT(sender.wake_after(1s), ElementsAre("wake at 30.1s"));
}

TEST(sender_refusals, unordered_the_others_need_not_wait_for_what_one_was_asked_to) {
  EngineDriver sender{{.ordering = Ordering::unordered, .max_in_flight = 1}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.nack(1, 2s);

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2", "wake at 2s"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(sender.wake_after(1989ms), ElementsAre("wake at 2s"));
  EXPECT_THAT(sender.wake_after(1ms), ElementsAre("hand over 1"));
}

TEST(sender_refusals, the_service_is_left_alone_although_the_delivery_is_given_up) {
  EngineDriver sender{
    {.max_in_flight = 1, .max_attempts = 1, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.nack(1, 2s), ElementsAre("dead letter 1 attempts_exhausted", "wake at 2s"));
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("hand over 2"));
}

// -- for good, and too often -------------------------------------------------------

TEST(sender_refusals, what_is_rejected_ends_at_once_and_is_no_failure) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.reject(1), ElementsAre("dead letter 1 rejected"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_refusals, what_is_rejected_past_its_deadline_makes_room_for_the_next) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{50ms}});
  sender.submit();
  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("dead letter 1 expired"));

  EXPECT_THAT(sender.reject(1), ElementsAre("hand over 2"));
}

TEST(sender_refusals, a_delivery_is_given_up_when_it_was_refused_as_often_as_it_may) {
  EngineDriver sender{{.max_attempts = 2, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.nack(1);
  sender.ack(2);
  sender.wake_after(10ms);

  EXPECT_THAT(sender.nack(1), ElementsAre("dead letter 1 attempts_exhausted", "wake at 40ms"));
}

TEST(sender_refusals, news_of_an_earlier_hand_over_is_stale) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  sender.nack(1);
  EXPECT_THAT(sender.take(input::Nacked{first, {7, "again"}, {}}), IsEmpty()) << "not in flight";
  sender.wake_after(10ms);

  EXPECT_THAT(sender.take(input::Nacked{first, {7, "again"}, {}}), IsEmpty());
  EXPECT_THAT(sender.take(input::Rejected{first, {7, "again"}}), IsEmpty());
  EXPECT_EQ(sender.engine->owed(), 1u);
}

// -- errors that are decided to be refusals ------------------------------------------

TEST(sender_refusals, an_error_answer_can_be_a_refusal_once_the_child_is_known_to_live) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.error(1, 7, false, {Verdict::retry, 2s}), ElementsAre("hold 1", "probe 1"));
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("wake at 2s"));
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("hand over 1"));
}

TEST(sender_refusals, an_error_answer_can_end_the_sender) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7, false, Verdict::escalate);

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}),
              ElementsAre("escalate", "ask to end 1", "wake at 5s"));
  EXPECT_THAT(sender.stop_normally(),
              ElementsAre("dead letter 1 gave_up", "dead letter 2 gave_up"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
}

TEST(sender_refusals, also_if_the_child_stops_normally_before_it_has_answered_the_probe) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7, false, Verdict::escalate);

  EXPECT_THAT(sender.stop_normally(),
              ElementsAre("escalate", "dead letter 1 gave_up", "dead letter 2 gave_up"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
}

TEST(sender_refusals, a_refusal_before_a_crash_is_one_failure_with_it) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 8, false, {Verdict::retry, 2s});
  sender.error(2, 7);

  EXPECT_THAT(sender.crash(7), ElementsAre("start child 2", "wake at 2s"));
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.nacks, 1u);
}

TEST(sender_refusals, a_crash_can_be_decided_to_end_its_culprit_or_the_sender) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.take(input::ChildDown{1, {7, "crash"}, Verdict::reject}),
              ElementsAre("dead letter 1 rejected", "start child 2", "wake at 10ms"));

  EXPECT_THAT(sender.take(input::ChildDown{2, {7, "crash"}, Verdict::escalate}),
              ElementsAre("escalate", "dead letter 2 gave_up"));
}

} // namespace backoff_actor::engine_test
