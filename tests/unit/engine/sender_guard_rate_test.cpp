#include "guarded_sender.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

GuardOptions one_each_100ms(std::uint32_t burst = 1) {
  return {.rate = RateOptions{.calls = 10, .burst = burst}};
}

// With a breaker that opens after two failures, for ten seconds.
GuardOptions after_two_and_one_each_100ms() {
  auto result = one_each_100ms(5);
  result.circuit_breaker = after_two();
  return result;
}

// -- the pace -------------------------------------------------------------------------------

TEST(sender_guard, a_backlog_goes_at_the_pace_of_the_rate) {
  GuardedSender s{{}, one_each_100ms(2)};
  s.sender.start();
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 1", "hand over 1"));
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2", "hand over 2"));
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 3", "wake at 100ms"));
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 4"));

  EXPECT_THAT(s.sender.wake_after(99ms), ElementsAre("wake at 100ms"));
  EXPECT_THAT(s.sender.wake_after(1ms), ElementsAre("hand over 3", "wake at 200ms"));
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1")) << "room in the window is not enough";
  EXPECT_THAT(s.sender.wake_after(100ms), ElementsAre("hand over 4"));
}

TEST(sender_guard, that_the_rate_holds_back_charges_nothing_and_leaves_the_window_as_it_is) {
  GuardedSender s{{.max_attempts = 1, .charging = Charging::every_failure()}, one_each_100ms()};
  s.sender.start();
  for (int i = 0; i < 4; ++i)
    s.sender.submit();
  for (int i = 0; i < 3; ++i)
    s.sender.wake_after(100ms);

  EXPECT_EQ(s.status().in_flight, 4u) << "of a breaker there would be one";
  EXPECT_FALSE(s.sender.engine->backoff().is_started());
  EXPECT_EQ(s.guard->failures, 0);
}

TEST(sender_guard, two_senders_that_share_a_rate_take_turns) {
  GuardedSender s{{}, one_each_100ms()};
  EngineDriver other{{.guard = s.guard}};
  s.sender.start();
  other.start();
  s.sender.submit();
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2", "wake at 100ms"));
  EXPECT_THAT(other.submit(), ElementsAre("accept 1", "wake at 200ms"));

  EXPECT_THAT(s.sender.wake_after(100ms), ElementsAre("hand over 2"));
  s.sender.submit();
  EXPECT_THAT(other.wake_after(200ms), ElementsAre("hand over 1"));
  EXPECT_THAT(s.sender.wake_after(200ms), ElementsAre("hand over 3"));
}

// -- children -------------------------------------------------------------------------------

TEST(sender_guard, a_child_that_is_made_for_a_call_takes_one_from_the_rate) {
  GuardedSender s{{}, after_two_and_one_each_100ms()};
  s.open(); // by two calls of five
  s.sender.take(input::Start{});
  s.sender.submit();
  EXPECT_THAT(s.sender.wake_after(10s), ElementsAre("start child 1"));
  EXPECT_THAT(s.sender.child_started(), ElementsAre("hand over 1"));

  EXPECT_EQ(s.guard->guard.status(s.sender.now).calls_left, 4u) << "one of five";
}

// Otherwise two calls leave at once: the one that waited for its child, and the next.
TEST(sender_guard, a_call_whose_child_takes_its_time_counts_for_the_rate_when_it_is_made) {
  auto options = one_each_100ms(1);
  options.circuit_breaker = after_two();
  options.circuit_breaker->trip = ConsecutiveFailures{1};
  GuardedSender s{{}, options};
  s.guard->failed(std::get<Permit>(s.guard->admit(s.sender.now, Call::first)), s.sender.now);
  s.sender.take(input::Start{});
  s.sender.submit();
  EXPECT_THAT(s.sender.wake_after(10s), ElementsAre("start child 1"));
  s.sender.now = s.sender.now + 3s;
  s.guard->guard.close(s.sender.now);
  EXPECT_TRUE(std::holds_alternative<Permit>(s.guard->guard.admit(s.sender.now, Call::first)));

  EXPECT_THAT(s.sender.child_started(), ElementsAre("wake at 13.1s"));
  EXPECT_THAT(s.sender.wake_after(100ms), ElementsAre("hand over 1"));
}

TEST(sender_guard, a_failed_start_takes_nothing_from_the_rate) {
  GuardedSender s{{}, one_each_100ms(3)};
  s.sender.take(input::Start{});
  s.sender.take(input::StartFailed{1, {3, "refused"}});

  EXPECT_EQ(s.guard->failures, 1);
  EXPECT_EQ(s.guard->guard.status(s.sender.now).calls_left, 3u);
}

TEST(sender_guard, a_failed_start_is_told_although_the_rate_allows_no_call) {
  GuardedSender s{{}, {.circuit_breaker = after_two(), .rate = RateOptions{.calls = 1, .per = 1h}}};
  s.guard->succeeded(std::get<Permit>(s.guard->admit(s.sender.now, Call::first)), s.sender.now);
  s.sender.take(input::Start{});
  s.sender.take(input::StartFailed{1, {3, "refused"}});
  s.sender.wake_after(10ms);
  s.sender.take(input::StartFailed{2, {3, "refused"}});

  EXPECT_FALSE(s.guard->is_closed());
}

// -- commands -------------------------------------------------------------------------------

TEST(sender_guard, no_command_makes_a_call_that_the_rate_holds_back) {
  GuardedSender s{{}, after_two_and_one_each_100ms()};
  s.sender.start();
  for (int i = 0; i < 5; ++i)
    s.sender.submit();
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 6", "wake at 100ms"));

  EXPECT_THAT(s.sender.take(input::RetryNow{}), IsEmpty());
  EXPECT_THAT(s.sender.take(input::Reset{}), IsEmpty());
  EXPECT_THAT(s.sender.take(input::GuardClosed{50ms}), IsEmpty());
  s.sender.now = s.sender.now + 50ms;
  EXPECT_THAT(s.sender.take(input::RetryNow{}), IsEmpty());
  EXPECT_EQ(s.guard->asked, 6) << "nor did anybody ask";
  EXPECT_THAT(s.sender.wake_after(50ms), ElementsAre("hand over 6"));
}

TEST(sender_guard, retry_now_ends_the_delay_of_a_sender_whose_rate_allows_a_call) {
  GuardedSender s{{}, one_each_100ms(2)};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1, 1min);

  EXPECT_THAT(s.sender.take(input::RetryNow{}), Contains("hand over 1"));
}

TEST(sender_guard, the_end_does_not_wait_for_the_rate) {
  GuardedSender s{{}, one_each_100ms()};
  s.sender.start();
  s.sender.submit();
  s.sender.submit();
  s.sender.ack(1);
  s.sender.take(input::Stop{});

  EXPECT_FALSE(s.status().is_held_back);
  EXPECT_THAT(s.sender.stop_normally(), ElementsAre("dead letter 2 stopped"));
  EXPECT_EQ(s.guard->out, 0);
}

// -- what is told ---------------------------------------------------------------------------

TEST(sender_guard, of_holds_by_the_rate_the_first_in_a_row_is_told) {
  testing::EventLog log;
  GuardedSender s{{.on_event = log.hook()}, one_each_100ms()};
  s.sender.start();
  for (int i = 0; i < 20; ++i)
    s.sender.submit();
  for (int i = 0; i < 19; ++i)
    s.sender.wake_after(100ms);
  EXPECT_EQ(s.status().counters.hand_overs, 20u);

  const auto told = log.all<event::GuardHeldBack>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].reason, HeldBackBy::rate);
  EXPECT_EQ(told[0].until, Instant{100ms});
}

// Whenever nothing is owed, the sender forgets all but a few numbers.
TEST(sender_guard, that_has_nothing_to_do_in_between_does_not_tell_of_each_hold_by_the_rate) {
  testing::EventLog log;
  GuardedSender s{{.on_event = log.hook()}, one_each_100ms()};
  s.sender.start();
  for (std::uint64_t i = 1; i <= 20; ++i) {
    s.sender.submit();
    if (i > 1)
      s.sender.wake_after(50ms);
    s.sender.ack(i);
    s.sender.now = s.sender.now + 50ms;
  }
  EXPECT_EQ(s.guard->asked, 39) << "each but the first was held back once";
  EXPECT_EQ(log.all<event::GuardHeldBack>().size(), 1u);

  s.sender.now = s.sender.now + 2s;
  s.sender.submit();
  s.sender.submit();
  EXPECT_EQ(log.all<event::GuardHeldBack>().size(), 2u);
}

} // namespace backoff_actor::engine_test
