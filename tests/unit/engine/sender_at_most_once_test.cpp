// Messages that are delivered at most once: forwarded, or what the options say while no child is
// there.

#include "at_most_once.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// -- with a child -----------------------------------------------------------------------

TEST(sender_at_most_once, forwards_at_once_and_owes_nothing) {
  EngineDriver sender{at_most_once()};
  sender.start();

  EXPECT_THAT(sender.submit(), ElementsAre("forward 1 to 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("forward 2 to 1"));
  EXPECT_EQ(sender.engine->owed(), 0u);
  EXPECT_EQ(status(sender).in_flight, 0u);
  EXPECT_EQ(status(sender).counters.forwarded, 2u);
  EXPECT_EQ(status(sender).counters.accepted, 0u);
}

TEST(sender_at_most_once, resends_nothing_after_a_crash) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 10ms"));
  EXPECT_THAT(sender.child_started(), IsEmpty());
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
}

TEST(sender_at_most_once, a_time_to_live_is_no_reason_to_keep_a_message_that_can_go) {
  EngineDriver sender{at_most_once()};
  sender.start();

  EXPECT_THAT(sender.submit_within(1ns), ElementsAre("forward 1 to 1"));
  EXPECT_THAT(sender.submit_within(0s), ElementsAre("accept 2", "dead letter 2 expired"));
}

// -- while no child is there --------------------------------------------------------------

TEST(sender_at_most_once, what_is_buffered_is_forwarded_in_order_when_the_delay_has_ended) {
  EngineDriver sender{akkas()};
  sender.start();
  sender.crash();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3"));
  EXPECT_THAT(sender.child_started(),
              ElementsAre("forward 1 to 2", "forward 2 to 2", "forward 3 to 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("forward 4 to 2"));
  EXPECT_EQ(sender.engine->owed(), 0u);
}

TEST(sender_at_most_once, a_child_that_was_recreated_at_once_waits_for_the_end_of_the_delay_too) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("forward 2 to 2"));
}

TEST(sender_at_most_once, a_full_buffer_refuses_the_newest) {
  EngineDriver sender{akkas({.capacity = 2})};
  sender.start();
  sender.crash();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("refuse: full"));
  EXPECT_EQ(sender.engine->owed(), 2u);
}

TEST(sender_at_most_once, a_full_buffer_can_drop_the_oldest_or_the_newest_as_dead_letters) {
  for (const auto overflow : {Overflow::drop_oldest, Overflow::drop_newest}) {
    EngineDriver sender{akkas({.overflow = overflow, .capacity = 1})};
    sender.start();
    sender.crash();
    sender.submit();

    if (overflow == Overflow::drop_oldest)
      EXPECT_THAT(sender.submit(), ElementsAre("dead letter 1 dropped", "accept 2"));
    else
      EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "dead letter 2 dropped"));
    EXPECT_EQ(sender.engine->owed(), 1u);
  }
}

TEST(sender_at_most_once, what_is_buffered_can_expire) {
  EngineDriver sender{akkas()};
  sender.start();
  sender.crash();
  sender.submit_within(4ms);
  sender.submit();

  EXPECT_THAT(sender.wake_after(4ms), ElementsAre("dead letter 1 expired", "wake at 10ms"));
  sender.wake_after(6ms);
  EXPECT_THAT(sender.child_started(), ElementsAre("forward 2 to 2"));
}

TEST(sender_at_most_once, what_is_buffered_at_the_end_becomes_dead_letters) {
  EngineDriver sender{akkas()};
  sender.start();
  sender.crash();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.take(input::Stop{}),
              ElementsAre("dead letter 1 stopped", "dead letter 2 stopped"));
}

struct Row {
  const char* name;
  WhenDown when_down;
  Lines at_rest;  // after a normal stop
  Lines waiting;  // a delay runs
  Lines paused;   // a child is there
  Lines starting; // a child is being made
  Lines draining;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

class WhileNoChild : public ::testing::TestWithParam<Row> {
protected:
  EngineDriver sender{akkas({.when_down = GetParam().when_down})};
};

TEST_P(WhileNoChild, at_rest_a_message_starts_the_next_child_and_waits_for_it) {
  sender.start();
  sender.stop_normally();

  EXPECT_EQ(sender.submit(), GetParam().at_rest);
  EXPECT_THAT(sender.child_started(), ElementsAre("forward 1 to 2"));
}

TEST_P(WhileNoChild, in_a_delay_it_becomes_what_the_options_say) {
  sender.start();
  sender.crash();

  EXPECT_EQ(sender.submit(), GetParam().waiting);
}

TEST_P(WhileNoChild, in_a_pause_it_becomes_what_the_options_say) {
  sender.start();
  sender.take(input::Pause{});

  EXPECT_EQ(sender.submit(), GetParam().paused);
}

TEST_P(WhileNoChild, while_a_child_starts_it_becomes_what_the_options_say) {
  sender.take(input::Start{});

  EXPECT_EQ(sender.submit(), GetParam().starting);
}

TEST_P(WhileNoChild, in_a_drain_it_is_refused_though_a_child_is_there) {
  sender.start();
  sender.take(input::Drain{1});

  EXPECT_EQ(sender.submit(), GetParam().draining);
}

const Lines starts{"accept 1", "start child 2"};
const Lines accepts{"accept 1"};
const Lines diverts{"divert"};
const Lines refuses{"refuse: no child"};
const Lines drains{"refuse: draining"};

INSTANTIATE_TEST_SUITE_P(
  table, WhileNoChild,
  ::testing::Values(Row{"buffer", WhenDown::buffer, starts, accepts, accepts, accepts, drains},
                    Row{"divert", WhenDown::divert, starts, diverts, diverts, diverts, drains},
                    Row{"refuse", WhenDown::refuse, starts, refuses, refuses, refuses, drains}),
  [](const auto& test) { return test.param.name; });

TEST(sender_at_most_once, counts_what_it_diverts_and_what_it_refuses) {
  for (const auto when_down : {WhenDown::divert, WhenDown::refuse}) {
    EngineDriver sender{akkas({.when_down = when_down})};
    sender.start();
    sender.crash();
    sender.submit();

    EXPECT_EQ(status(sender).counters.diverted, when_down == WhenDown::divert ? 1u : 0u);
    EXPECT_EQ(status(sender).counters.refused, when_down == WhenDown::refuse ? 1u : 0u);
    EXPECT_EQ(status(sender).counters.accepted, 0u);
  }
}

TEST(sender_at_most_once, a_message_that_was_to_start_a_child_survives_a_failed_start) {
  EngineDriver sender{akkas({.when_down = WhenDown::refuse})};
  sender.start();
  sender.stop_normally();
  sender.submit();

  EXPECT_THAT(sender.take(input::StartFailed{2, {3, "no"}}), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: no child"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 3"));
  EXPECT_THAT(sender.child_started(), ElementsAre("forward 1 to 3"));
}

TEST(sender_at_most_once, a_resume_forwards_what_was_buffered_in_a_pause) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.take(input::Pause{});
  sender.submit();

  EXPECT_THAT(sender.take(input::Resume{}), ElementsAre("forward 1 to 1"));
}

TEST(sender_at_most_once, a_paused_sender_starts_no_child_for_what_it_buffers) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.stop_normally();
  sender.take(input::Pause{});

  EXPECT_THAT(sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(sender.take(input::Resume{}), ElementsAre("start child 2"));
}

TEST(sender_at_most_once, a_drain_ends_when_the_buffer_is_empty) {
  EngineDriver sender{akkas()};
  sender.start();
  sender.crash();
  sender.submit();

  EXPECT_THAT(sender.take(input::Drain{7}), IsEmpty());
  sender.wake_after(10ms);
  EXPECT_THAT(sender.child_started(), ElementsAre("forward 1 to 2", "drained 7, 0 left"));
}

TEST(sender_at_most_once, retry_now_ends_the_delay) {
  EngineDriver sender{akkas()};
  sender.start();
  sender.crash();
  sender.submit();

  EXPECT_THAT(sender.take(input::RetryNow{}), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("forward 1 to 2"));
}

// -- failures -------------------------------------------------------------------------------

TEST(sender_at_most_once, the_delay_grows_with_every_failure_in_a_row) {
  EngineDriver sender{akkas()};
  sender.start();

  EXPECT_THAT(sender.crash(), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
  sender.child_started();
  EXPECT_THAT(sender.crash(), ElementsAre("wake at 40ms"));
  EXPECT_THAT(sender.wake_after(30ms), ElementsAre("start child 3"));
  sender.child_started();
  EXPECT_THAT(sender.crash(), ElementsAre("wake at 110ms"));
}

TEST(sender_at_most_once, a_failure_in_a_delay_starts_no_second_child) {
  EngineDriver sender{at_most_once()};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 10ms"));
  sender.child_started();

  EXPECT_THAT(sender.crash(), IsEmpty()) << "child 2 was given nothing: it died at birth";
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("wake at 30ms"));
  EXPECT_THAT(sender.wake_after(20ms), ElementsAre("start child 3"));
}

TEST(sender_at_most_once, the_restart_limit_ends_the_sender_and_what_is_buffered) {
  EngineDriver sender{akkas({.restart_limit = RestartLimit{1, 1h}})};
  sender.start();
  sender.crash();
  sender.submit();
  sender.take(input::Pause{});
  sender.wake_after(10ms);
  sender.child_started();

  EXPECT_THAT(sender.crash(), ElementsAre("give up", "dead letter 1 gave_up"));
}

TEST(sender_at_most_once, a_reset_of_the_backoff_by_health_does_not_refill_the_restart_limit) {
  EngineDriver sender{akkas({.restart_limit = RestartLimit{1, 1h}, .healthy_after = 1s})};
  sender.start();
  sender.crash();
  sender.wake_after(10ms);
  sender.child_started();
  sender.now = sender.now + 1min;

  EXPECT_THAT(sender.crash(), ElementsAre("give up"));
}

TEST(sender_at_most_once, max_elapsed_counts_from_the_first_failure_in_a_row) {
  EngineDriver sender{akkas({.max_elapsed = 30ms, .healthy_after = 1s})};
  sender.start();
  sender.crash();
  sender.wake_after(10ms);
  sender.child_started();
  sender.now = sender.now + 1s;
  EXPECT_THAT(sender.crash(), ElementsAre("wake at 1.02s")) << "the first in a row";
  sender.wake_after(10ms);
  sender.child_started();

  EXPECT_THAT(sender.crash(), ElementsAre("give up")) << "10 ms and 30 ms are more than 30 ms";
}

TEST(sender_at_most_once, the_decider_may_end_it_and_reject_is_as_retry) {
  for (const auto& [verdict, line] :
       {std::pair{Verdict::give_up, "give up"}, std::pair{Verdict::escalate, "escalate"},
        std::pair{Verdict::reject, "wake at 10ms"}, std::pair{Verdict::retry, "wake at 10ms"}}) {
    EngineDriver sender{akkas()};
    sender.start();
    sender.submit();

    EXPECT_THAT(sender.take(input::ChildDown{1, {7, "crash"}, verdict}), ElementsAre(line));
  }
}

// -- the child there is -------------------------------------------------------------------------

TEST(sender_living_child, is_none_before_the_first_between_two_and_after_the_end) {
  EngineDriver sender{akkas()};
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

} // namespace

} // namespace backoff_actor::engine_test
