#include "engine_driver.hpp"

#include "backoff_actor/testing/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Contains;

// -- submitting and acknowledging -------------------------------------------------

TEST(sender_engine, hands_over_at_once_when_a_child_is_there_and_no_delay_runs) {
  EngineDriver sender;
  sender.start();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1"));
}

TEST(sender_engine, keeps_what_comes_before_the_first_child_is_there_in_order) {
  EngineDriver sender;
  EXPECT_THAT(sender.take(input::Start{}), ElementsAre("start child 1"));
  EXPECT_EQ(sender.engine->phase(), Phase::starting);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));

  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "hand over 2"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
}

TEST(sender_engine, acknowledges_in_any_order_and_then_owes_nothing) {
  EngineDriver sender;
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();

  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(sender.engine->owed(), 0u);
}

TEST(sender_engine, starts_once) {
  EngineDriver sender;
  sender.start();

  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
}

TEST(sender_engine, does_not_hand_over_what_is_not_stored_nor_anything_behind_it) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "persist 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "persist 2"));

  EXPECT_THAT(sender.take(input::Persisted{1, 2}), IsEmpty());
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), ElementsAre("hand over 1", "hand over 2"));
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), IsEmpty()) << "the second time";
}

// -- what a crash does --------------------------------------------------------------

TEST(sender_engine, recreates_the_child_at_once_and_resends_at_the_tick) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms", "start child 2"));
  EXPECT_THAT(sender.child_started(), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::waiting);
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1", "hand over 2"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
}

TEST(sender_engine, recreates_the_child_only_at_the_tick_on_request) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_engine, waits_for_a_child_that_starts_slowly_beyond_the_tick) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();

  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_engine, waits_longer_with_every_failure_in_a_row) {
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

TEST(sender_engine, an_acknowledgement_resets_the_backoff) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  ASSERT_TRUE(sender.engine->backoff().is_started());

  sender.ack(1);

  EXPECT_FALSE(sender.engine->backoff().is_started());
  EXPECT_EQ(sender.engine->backoff().resets(), 1u);
}

// -- the defects of the original, by the right behaviour ------------------------------

TEST(sender_engine, runs_one_tick_however_many_crashes_fall_into_a_delay) { // D1
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  ASSERT_EQ(sender.engine->due(), Instant{10ms});

  sender.now = sender.now + Duration{2ms};
  EXPECT_THAT(sender.crash(), Not(Contains("wake at 32ms"))) << "a wake-up is out already";
  EXPECT_EQ(sender.engine->due(), Instant{32ms});
  EXPECT_THAT(sender.wake_after(8ms), ElementsAre("wake at 32ms")) << "the early one asks for the late one";
  EXPECT_THAT(sender.wake_after(22ms), ElementsAre("start child 3"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.wake_after(1ms), IsEmpty()) << "a stale wake-up resends nothing";
}

TEST(sender_engine, hands_a_living_child_each_delivery_once) { // D2
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  ASSERT_TRUE(sender.engine->backoff().is_started());

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
  EXPECT_THAT(sender.wake_after(1s), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "hand over 3"));
  EXPECT_EQ(sender.hand_overs[1].size(), 2u);
}

TEST(sender_engine, lets_no_newcomer_overtake_those_that_wait) { // D3
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
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2", "hand over 3", "hand over 4"));
}

TEST(sender_engine, a_stale_acknowledgement_ends_its_delivery_but_resets_nothing) { // D7
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first_hand_over = sender.hand_overs[1].back();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);

  EXPECT_THAT(sender.ack(first_hand_over), ElementsAre("acknowledge 1"));
  EXPECT_TRUE(sender.engine->backoff().is_started());
  EXPECT_EQ(sender.engine->backoff().resets(), 0u);
}

TEST(sender_engine, unknown_and_repeated_acknowledgements_change_nothing) { // D7
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  sender.ack(1);
  sender.crash();
  sender.child_started();
  ASSERT_TRUE(sender.engine->backoff().is_started());

  EXPECT_THAT(sender.ack(1), IsEmpty()) << "repeated";
  EXPECT_THAT(sender.ack(HandOverId{123456}), IsEmpty()) << "forged";
  EXPECT_TRUE(sender.engine->backoff().is_started());
}

TEST(sender_engine, takes_no_notice_of_the_end_of_an_earlier_child) { // D8
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);

  EXPECT_THAT(sender.take(input::ChildDown{1, {7, "late"}}), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u);
}

TEST(sender_engine, a_normal_stop_with_nothing_owed_is_no_failure) { // D8
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);

  EXPECT_THAT(sender.stop_normally(), IsEmpty());
  EXPECT_EQ(sender.engine->backoff().total_retries(), 0u);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 2"));
}

TEST(sender_engine, a_normal_stop_with_deliveries_owed_is_a_failure) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.stop_normally(), ElementsAre("wake at 10ms", "start child 2"));
}

TEST(sender_engine, a_crash_with_nothing_owed_holds_up_the_next_message_no_longer_than_its_delay) { // D9
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
}

TEST(sender_engine, a_backoff_that_still_counts_does_not_hold_up_the_next_message) { // D9
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  ASSERT_TRUE(sender.engine->backoff().is_started());

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_engine, stopping_ends_the_child_and_tells_of_all_that_is_owed_in_order) { // D14
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("stop child 2", "dead letter 1 stopped",
                                                      "dead letter 2 stopped"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
  EXPECT_THAT(sender.crash(), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: stopped"));
}

TEST(sender_engine, a_child_that_comes_after_the_stop_is_ended) {
  EngineDriver sender;
  sender.take(input::Start{});
  sender.take(input::Stop{});

  EXPECT_THAT(sender.take(input::ChildStarted{1}), ElementsAre("stop child 1"));
}

// -- starts that fail ---------------------------------------------------------------

TEST(sender_engine, a_failed_start_waits_and_is_tried_again_at_the_tick) {
  EngineDriver sender;
  sender.take(input::Start{});
  sender.submit();

  EXPECT_THAT(sender.take(input::StartFailed{1, {1, "no"}}), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_engine, a_child_that_dies_before_it_was_handed_anything_waits_for_the_tick) {
  EngineDriver sender;
  sender.start();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms")) << "starting at once would spin";
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
}

TEST(sender_engine, knows_for_each_incarnation_whether_it_was_handed_something) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  ASSERT_THAT(sender.crash(), Contains("start child 2"));

  EXPECT_THAT(sender.crash(), IsEmpty()) << "while it was starting";
}

TEST(sender_engine, a_failure_during_a_delay_never_shortens_it) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  for (const auto wait : {10ms, 30ms, 70ms, 150ms, 310ms, 630ms}) {
    sender.crash();
    sender.child_started();
    sender.wake_after(wait);
  }
  sender.crash();
  sender.child_started();
  ASSERT_EQ(sender.engine->due(), sender.now + Duration{1270ms});
  const auto due = sender.engine->due();

  sender.crash(); // the eighth draw is 10 ms

  EXPECT_EQ(sender.engine->due(), due);
}

TEST(sender_engine, an_acknowledgement_from_before_the_crash_resets_nothing_and_shortens_nothing) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto hand_over = sender.hand_overs[1].back();
  sender.crash();
  sender.child_started();

  sender.ack(hand_over);
  sender.submit();

  EXPECT_EQ(sender.engine->due(), Instant{10ms});
  EXPECT_TRUE(sender.engine->backoff().is_started());
}

TEST(sender_engine, a_message_during_a_delay_starts_no_child) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  sender.start();
  sender.submit();
  sender.crash();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
}

TEST(sender_engine, a_zero_delay_is_a_wake_up_and_nothing_is_done_inline) {
  const ExponentialBackOffSpec never_waits{.ceiling = 1};
  EngineOptions options;
  options.backoff = ExponentialBackOff{never_waits};
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

// -- error answer or crash ------------------------------------------------------------

TEST(sender_engine, holds_an_error_answer_until_the_child_has_answered_a_probe) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.error(1, 7), ElementsAre("hold 1", "probe 1"));
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("dead letter 1 rejected"));
  EXPECT_EQ(sender.engine->backoff().total_retries(), 0u);
}

TEST(sender_engine, an_error_answer_with_the_cause_of_the_crash_behind_it_is_retried) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.crash(7), ElementsAre("wake at 10ms", "start child 2"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
}

TEST(sender_engine, an_error_answer_with_another_cause_than_the_crash_behind_it_is_final) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 8);

  EXPECT_THAT(sender.crash(7),
              ElementsAre("dead letter 1 rejected", "wake at 10ms", "start child 2"));
}

TEST(sender_engine, a_bounce_is_retried_whatever_the_child_died_of) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7);
  sender.error(2, 9, true);

  sender.crash(7);
  sender.child_started();

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1", "hand over 2"));
}

TEST(sender_engine, a_bounce_on_behalf_of_a_child_that_lives_is_its_answer) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  ASSERT_THAT(sender.error(1, 9, true), ElementsAre("hold 1", "probe 1"));

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("dead letter 1 rejected"));
}

TEST(sender_engine, a_later_answer_of_the_child_settles_the_errors_before_it) {
  EngineDriver sender;
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.error(2, 7), ElementsAre("dead letter 1 rejected", "hold 2"));
  EXPECT_THAT(sender.ack(3), ElementsAre("dead letter 2 rejected", "acknowledge 3"));
}

TEST(sender_engine, an_answer_of_somebody_else_is_no_sign_of_life) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.take(input::Acknowledged{sender.hand_overs[2].back(), false}),
              ElementsAre("acknowledge 2"));
  EXPECT_EQ(sender.engine->owed(), 1u);
}

TEST(sender_engine, a_probe_sent_before_an_error_does_not_settle_it) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.submit();
  sender.error(1, 7);
  sender.error(2, 7); // settles the first; the probe is still out

  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), ElementsAre("probe 2"));
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), IsEmpty()) << "once more";
  EXPECT_THAT(sender.take(input::ChildAlive{1, 2}), ElementsAre("dead letter 2 rejected"));
}

TEST(sender_engine, the_sign_of_life_of_an_earlier_child_settles_nothing) {
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

TEST(sender_engine, an_error_of_a_child_that_cannot_be_asked_is_final_at_once) {
  EngineDriver sender;
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.take(input::ErrorAnswer{sender.hand_overs[1].back(), {7, "e"}, true, false, true}),
              ElementsAre("hold 1", "dead letter 1 rejected"));
}

TEST(sender_engine, an_error_answer_of_an_earlier_child_is_stale) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  sender.crash();
  sender.child_started();
  const input::ErrorAnswer late{first, {8, "e"}, false, false, false};

  EXPECT_THAT(sender.take(late), IsEmpty()) << "while the delay runs";
  sender.wake_after(10ms);
  EXPECT_THAT(sender.take(late), IsEmpty()) << "when it is handed over again";
}

TEST(sender_engine, an_acknowledgement_beats_an_error_that_is_still_held) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.take(input::ChildAlive{1, 1}), IsEmpty());
}

TEST(sender_engine, an_error_held_when_the_sender_stops_is_owed) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 7);

  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("stop child 1", "dead letter 1 stopped"));
}

// -- who is charged -------------------------------------------------------------------

std::uint32_t attempts_of(const testing::EventLog& log, std::uint64_t delivery) {
  for (const auto& x : log.all<event::Acknowledged>())
    if (x.delivery == delivery)
      return x.attempts;
  return std::numeric_limits<std::uint32_t>::max();
}

TEST(sender_engine, charges_the_delivery_whose_error_carries_the_cause_of_the_crash) {
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

TEST(sender_engine, charges_the_oldest_in_flight_when_no_error_names_the_culprit) {
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

TEST(sender_engine, charges_nobody_when_a_child_dies_that_was_handed_nothing) {
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

// -- events -----------------------------------------------------------------------------

TEST(sender_engine, tells_the_whole_story_to_its_hook) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.wake_after(10ms);
  sender.now = sender.now + Duration{5ms};
  sender.ack(1);
  sender.ack(1);
  sender.take(input::Stop{});

  EXPECT_EQ(log.timeline(),
            "+0ns  child 1 started\n"
            "+0ns  delivery 1 accepted\n"
            "+0ns  delivery 1 handed over to child 1\n"
            "+0ns  child 1 down: crash\n"
            "+0ns  retry in 10ms (slot 2/10, wait 10ms, retries 1, resets 0, total_retries 1, draw "
            "(seed 72451, stream 0, n 0))\n"
            "+0ns  child 2 started\n"
            "+10ms  delay ended\n"
            "+10ms  delivery 1 handed over again to child 2\n"
            "+15ms  delivery 1 acknowledged after 15ms, 1 failed attempt\n"
            "+15ms  backoff reset (slot 1/10, wait 0ns, retries 0, resets 1, total_retries 1)\n"
            "+15ms  acknowledgement 2 names nothing that is owed\n"
            "+15ms  sender stopped\n");
}

TEST(sender_engine, a_hook_that_throws_costs_nothing) {
  EngineDriver sender{{.on_event = [](const Event&) { throw std::runtime_error("hook"); }}};
  sender.start();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1"));
  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms", "start child 2"));
}

} // namespace backoff_actor::engine_test
