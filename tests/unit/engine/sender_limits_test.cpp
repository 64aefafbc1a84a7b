#include "engine_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- giving up ------------------------------------------------------------------

TEST(sender_limits, gives_up_when_the_child_fails_once_more_than_the_limit_bears) {
  EngineDriver sender{{.restart_limit = RestartLimit{2, 1s}}};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.crash_and_resend(30ms);

  EXPECT_THAT(sender.crash(), ElementsAre("give up", "dead letter 1 gave_up"));
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: stopped"));
}

TEST(sender_limits, failures_spread_over_more_than_the_window_are_borne_for_ever) {
  EngineDriver sender{{.restart_limit = RestartLimit{1, 1s}}};
  sender.start();
  sender.submit();
  for (int i = 0; i < 10; ++i)
    sender.crash_and_resend(6s);

  EXPECT_EQ(sender.engine->phase(), Phase::running);
}

TEST(sender_limits, refusals_are_no_restarts) {
  EngineDriver sender{{.restart_limit = RestartLimit{0, 1h}}};
  sender.start();
  sender.submit();
  sender.nack(1);

  EXPECT_EQ(sender.engine->phase(), Phase::waiting);
}

TEST(sender_limits, gives_up_before_a_retry_that_would_begin_too_late) {
  EngineDriver sender{{.max_elapsed = 40ms}};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms); // until 10 ms
  EXPECT_THAT(sender.crash(), ElementsAre("start child 3", "wake at 40ms")) << "just in time";
  sender.child_started();
  sender.wake_after(30ms);

  EXPECT_THAT(sender.crash(), ElementsAre("give up", "dead letter 1 gave_up"));

  EngineDriver late{{.max_elapsed = 40ms - 1ns}};
  late.start();
  late.submit();
  late.crash_and_resend(10ms);
  EXPECT_THAT(late.crash(), ElementsAre("give up", "dead letter 1 gave_up")) << "a nanosecond late";
}

TEST(sender_limits, an_acknowledgement_ends_the_time_of_failures) {
  EngineDriver sender{{.max_elapsed = 40ms}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.ack(1);
  sender.now = Instant{1h};

  EXPECT_THAT(sender.crash(), ElementsAre("start child 3", "wake at 3600.01s"));
}

TEST(sender_limits, a_message_that_comes_when_nothing_is_owed_begins_a_new_row_of_failures) {
  EngineDriver sender{{.max_elapsed = 40ms}};
  sender.start();
  sender.crash(); // with nothing owed
  sender.wake_after(10ms);
  sender.child_started();
  sender.now = Instant{10h};
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("start child 3", "wake at 36000.03s"));
}

TEST(sender_limits, the_ceilings_free_retry_does_not_end_the_time_of_failures) {
  EngineDriver sender{{.max_elapsed = 1h}};
  sender.start();
  sender.submit();
  for (int i = 0; i < 2000 && sender.engine->phase() != Phase::stopped; ++i)
    sender.crash_and_resend(6s);

  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
}

TEST(sender_limits, a_failed_start_can_be_decided_to_end_the_sender) {
  EngineDriver sender;
  sender.take(input::Start{});
  sender.submit();

  EXPECT_THAT(sender.take(input::StartFailed{1, {7, "no"}, Verdict::give_up}),
              ElementsAre("give up", "dead letter 1 gave_up"));
}

// -- the fallback ---------------------------------------------------------------------

EngineOptions with_fallback() {
  EngineOptions options;
  options.restart_limit = RestartLimit{0, 1s};
  options.has_fallback = true;
  options.max_in_flight = 2;
  return options;
}

// Owes 1 to 4 and has just given up on child 1; the fallback is 2 and holds 1 and 2.
EngineDriver fallen_back(EngineOptions options = with_fallback()) {
  EngineDriver sender{std::move(options)};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  EXPECT_THAT(sender.crash(), ElementsAre("start fallback 2", "wake at 10ms"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "hand over 2"));
  return sender;
}

TEST(sender_limits, the_fallback_takes_over_without_a_delay) {
  auto sender = fallen_back();

  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_TRUE(sender.engine->status(sender.now).is_on_fallback);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3"));
}

TEST(sender_limits, the_oldest_waiting_delivery_probes_the_child_after_its_delay) {
  auto sender = fallen_back();

  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 3"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 3")) << "to the child";
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 4 to 2"));
}

TEST(sender_limits, the_child_takes_over_when_the_fallback_has_nothing_in_flight) {
  auto sender = fallen_back();
  sender.wake_after(10ms);
  sender.child_started();
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3"))
    << "it is well; the fallback is not done";
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));

  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "stop child 2", "hand over 4"));
  EXPECT_FALSE(sender.engine->status(sender.now).is_on_fallback);
}

TEST(sender_limits, a_probe_that_fails_goes_to_the_fallback_and_lengthens_the_delay) {
  auto sender = fallen_back();
  sender.wake_after(10ms);
  sender.child_started();

  EXPECT_THAT(sender.take(input::ChildDown{3, {7, "crash"}}), ElementsAre("wake at 40ms"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3 to 2"));
  EXPECT_THAT(sender.wake_after(30ms), ElementsAre("start child 4"));
}

TEST(sender_limits, with_nothing_waiting_the_next_message_is_the_probe) {
  auto sender = fallen_back();
  for (std::uint64_t delivery = 1; delivery <= 4; ++delivery)
    sender.ack(delivery);
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());

  EXPECT_THAT(sender.submit(), ElementsAre("accept 5", "start child 3", "hand over 5 to 2"))
    << "the fallback does not wait for the child";
  EXPECT_THAT(sender.child_started(), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 6", "hand over 6"));
  EXPECT_THAT(sender.ack(6), ElementsAre("acknowledge 6"));
  EXPECT_THAT(sender.ack(5), ElementsAre("acknowledge 5", "stop child 2"));
}

TEST(sender_limits, a_fallback_that_fails_has_a_backoff_of_its_own) {
  auto sender = fallen_back();

  const auto lines = sender.take(input::ChildDown{2, {7, "crash"}});
  EXPECT_THAT(lines, ::testing::Contains("start fallback 3"));
  EXPECT_EQ(sender.engine->backoff().total_retries(), 1u) << "that of the child";
  EXPECT_EQ(sender.engine->owed(), 4u);
}

TEST(sender_limits, the_delays_of_the_fallback_are_not_drawn_with_those_of_the_child) {
  testing::EventLog log;
  auto options = with_fallback();
  options.on_event = log.hook();
  auto sender = fallen_back(std::move(options));
  sender.take(input::ChildDown{2, {7, "crash"}});

  const auto retries = log.all<event::RetryScheduled>();
  ASSERT_EQ(retries.size(), 2u) << "of the child, and of the fallback";
  EXPECT_EQ(retries[0].backoff.stream(), 0u);
  EXPECT_NE(retries[1].backoff.stream(), 0u);
}

TEST(sender_limits, a_child_that_fails_again_while_it_comes_back_leaves_the_work_to_the_fallback) {
  auto sender = fallen_back();
  sender.wake_after(10ms);
  sender.child_started();
  sender.ack(3);
  sender.take(input::ChildDown{3, {7, "crash"}});

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 4 to 2"));
}

TEST(sender_limits, a_child_that_took_over_again_may_fail_as_often_as_at_first) {
  auto options = with_fallback();
  options.restart_limit = RestartLimit{1, 1h};
  EngineDriver sender{std::move(options)};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  EXPECT_THAT(sender.crash(), ElementsAre("start fallback 3", "wake at 40ms"));
  sender.child_started();
  sender.wake_after(30ms);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 4", "hand over 2 to 3"));
  sender.child_started();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "hand over 3"));
  sender.ack(3);
  sender.ack(1);
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "stop child 3"));
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("start child 5", "wake at 50ms"));
}

TEST(sender_limits, whoever_kills_the_sender_ends_both) {
  auto sender = fallen_back();
  sender.wake_after(10ms);
  sender.child_started();

  EXPECT_THAT(sender.take(input::Kill{}),
              ElementsAre("stop child 3", "stop child 2", "dead letter 1 stopped",
                          "dead letter 2 stopped", "dead letter 3 stopped",
                          "dead letter 4 stopped"));
}

TEST(sender_limits, a_fallback_that_comes_too_late_is_stopped) {
  EngineDriver sender{with_fallback()};
  sender.start();
  sender.submit();
  sender.crash();
  sender.wake_after(10ms); // the fallback is still being made
  sender.take(input::ChildStarted{3});
  sender.ack(1); // by the child: it is well again

  EXPECT_THAT(sender.take(input::ChildStarted{2}), ElementsAre("stop child 2"));
}

} // namespace backoff_actor::engine_test
