#include "guarded_sender.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- while it is open -----------------------------------------------------------------------

TEST(sender_guard, nothing_is_handed_over_while_the_breaker_is_open) {
  GuardedSender s;
  s.sender.start();
  s.open();

  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 1", "wake at 10s"));
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(s.sender.wake_after(9'999ms), ElementsAre("wake at 10s"));
  EXPECT_EQ(s.status().phase, Phase::waiting);
  EXPECT_TRUE(s.status().is_held_back);
  EXPECT_EQ(s.status().held_back_by, HeldBackBy::open_breaker);
}

TEST(sender_guard, one_delivery_is_the_probe_and_the_others_follow_when_it_succeeded) {
  GuardedSender s;
  s.sender.start();
  s.open();
  s.sender.submit();
  s.sender.submit();
  s.sender.submit();

  EXPECT_THAT(s.sender.wake_after(10s), ElementsAre("hand over 1"));
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1", "hand over 2", "hand over 3"));
  EXPECT_TRUE(s.guard->is_closed());
  EXPECT_FALSE(s.status().is_held_back);
  EXPECT_EQ(s.status().held_back_by, std::nullopt);
}

TEST(sender_guard, the_probe_is_anothers_and_this_sender_waits) {
  GuardedSender s;
  s.sender.start();
  s.open();
  s.sender.submit();
  const auto probe = s.guard->admit(Instant{10s}, Call::first);
  ASSERT_TRUE(std::holds_alternative<Permit>(probe));
  s.sender.wake_after(10s);

  EXPECT_FALSE(s.sender.in_flight(1));
  s.guard->succeeded(std::get<Permit>(probe), Instant{10s});
  EXPECT_THAT(s.sender.wake_after(100ms), ElementsAre("hand over 1"));
}

TEST(sender_guard, the_status_tells_the_delay_of_the_sender_if_that_is_longer) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();
  s.open();
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2", "wake at 10s"));
  s.sender.nack(1, 1min);

  EXPECT_EQ(s.status().due_in, 1min);
}

TEST(sender_guard, to_be_held_back_charges_no_attempt_and_steps_no_backoff) {
  testing::EventLog log;
  GuardedSender s{
    {.max_attempts = 1, .charging = Charging::every_failure(), .on_event = log.hook()}};
  s.sender.start();
  s.open();
  s.sender.submit();
  for (int i = 0; i < 10; ++i) { // ten probes of somebody else fail
    s.sender.now = s.sender.now + 10s;
    s.guard->failed(std::get<Permit>(s.guard->admit(s.sender.now, Call::first)), s.sender.now);
    s.sender.take(input::Wake{});
  }
  EXPECT_FALSE(s.sender.engine->backoff().is_started());
  EXPECT_EQ(s.status().counters.hand_overs, 0);
  s.sender.wake_after(10s);
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(log.all<event::Acknowledged>().at(0).attempts, 0);
  EXPECT_EQ(log.all<event::GuardHeldBack>().at(0).reason, HeldBackBy::open_breaker);
  EXPECT_EQ(log.all<event::GuardHeldBack>().at(0).until, Instant{10s});
}

TEST(sender_guard, deadlines_go_on_while_it_is_open) {
  GuardedSender s;
  s.sender.start();
  s.open();
  s.sender.take(input::Submit{.deadline = Instant{3s}});

  EXPECT_THAT(s.sender.wake_after(3s), ElementsAre("dead letter 1 expired", "wake at 10s"));
}

// -- children -------------------------------------------------------------------------------

TEST(sender_guard, a_child_that_crashed_is_not_made_again_into_an_open_breaker) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();
  s.sender.crash_and_resend(10ms);

  EXPECT_THAT(s.sender.crash(), ElementsAre("wake at 40ms")) << "the second failure opened it";
  EXPECT_THAT(s.sender.wake_after(30ms), ElementsAre("wake at 10.01s"));
  EXPECT_THAT(s.sender.wake_after(9'970ms), ElementsAre("start child 3"));
  EXPECT_THAT(s.sender.child_started(), ElementsAre("hand over 1"));
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_TRUE(s.guard->is_closed());
}

TEST(sender_guard, the_first_child_is_not_made_while_the_breaker_is_open) {
  GuardedSender s;
  s.open();

  EXPECT_THAT(s.sender.take(input::Start{}), IsEmpty());
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 1", "wake at 10s"));
  EXPECT_THAT(s.sender.wake_after(10s), ElementsAre("start child 1"));
  EXPECT_THAT(s.sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_guard, a_child_is_not_made_for_nothing_while_the_breaker_is_not_closed) {
  GuardedSender s;
  s.sender.start();
  s.open();

  EXPECT_THAT(s.sender.crash(), ElementsAre("wake at 10ms"));
  EXPECT_THAT(s.sender.wake_after(10s), IsEmpty()) << "the probe would have nothing to do";
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 1", "start child 2"));
}

TEST(sender_guard, a_start_that_fails_is_a_failure_of_the_service) {
  GuardedSender s;
  s.sender.take(input::Start{});
  s.sender.submit();
  s.sender.take(input::StartFailed{1, {3, "refused"}});
  s.sender.wake_after(10ms);
  s.sender.take(input::StartFailed{2, {3, "refused"}});
  EXPECT_FALSE(s.guard->is_closed());
  EXPECT_EQ(s.guard->failures, 2);

  s.sender.wake_after(30ms);
  EXPECT_THAT(s.sender.wake_after(10s), ElementsAre("start child 3"));
  s.sender.take(input::StartFailed{3, {3, "refused"}}); // the probe
  EXPECT_EQ(s.guard->failures, 3);
  EXPECT_EQ(s.guard->out, 0);
}

TEST(sender_guard, a_start_that_was_begun_before_the_breaker_opened_is_no_probe) {
  GuardedSender s;
  s.sender.take(input::Start{});
  s.open();
  s.sender.now = Instant{10s}; // the next call would be the probe
  s.sender.take(input::StartFailed{1, {3, "refused"}});
  EXPECT_EQ(s.guard->failures, 0);
  EXPECT_TRUE(std::holds_alternative<Permit>(s.guard->admit(s.sender.now, Call::first)));
}

TEST(sender_guard, a_probe_whose_delivery_expired_during_the_start_is_given_back) {
  GuardedSender s;
  s.open();
  s.sender.take(input::Start{});
  s.sender.take(input::Submit{.deadline = Instant{11s}});
  s.sender.wake_after(10s);
  EXPECT_EQ(s.guard->out, 1);
  s.sender.wake_after(2s);

  EXPECT_THAT(s.sender.child_started(), IsEmpty());
  EXPECT_EQ(s.guard->forgotten_calls, 1);
  EXPECT_EQ(s.guard->out, 0);
}

// -- outcomes -------------------------------------------------------------------------------

TEST(sender_guard, an_acknowledgement_is_a_success) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();
  s.sender.ack(1);
  EXPECT_EQ(s.guard->successes, 1);
  EXPECT_EQ(s.guard->firsts, 1);
}

TEST(sender_guard, a_crash_is_one_failure_however_many_were_in_flight) {
  GuardedSender s;
  s.sender.start();
  for (int i = 0; i < 5; ++i)
    s.sender.submit();
  s.sender.crash();
  EXPECT_EQ(s.guard->failures, 1);
  EXPECT_EQ(s.guard->forgotten_calls, 4);
  EXPECT_TRUE(s.guard->is_closed());
}

TEST(sender_guard, a_refusal_for_now_is_a_failure_and_one_for_good_is_a_success) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.reject(2);
  EXPECT_EQ(s.guard->failures, 1);
  EXPECT_EQ(s.guard->successes, 1);
}

TEST(sender_guard, a_final_error_is_what_the_shell_takes_it_for) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();
  s.sender.submit();
  s.sender.take(
    input::ErrorAnswer{s.sender.hand_overs.at(1).back(), {3, "e"}, false, true, Verdict::reject});
  EXPECT_EQ(s.guard->successes, 1);
  s.sender.take(input::ErrorAnswer{
    s.sender.hand_overs.at(2).back(), {3, "e"}, false, true, Verdict::reject, true});
  EXPECT_EQ(s.guard->failures, 1);
}

TEST(sender_guard, a_hang_is_a_failure_as_soon_as_it_is_noticed) {
  GuardedSender s{{.ack_timeout = 2s}};
  s.sender.start();
  s.sender.submit();
  s.sender.wake_after(2s);
  EXPECT_EQ(s.guard->failures, 1);
  s.sender.down(1);
  EXPECT_EQ(s.guard->failures, 1);
  EXPECT_EQ(s.guard->out, 0);
}

TEST(sender_guard, what_became_of_a_delivery_that_expired_with_the_child_is_told_all_the_same) {
  GuardedSender s;
  s.sender.start();
  s.sender.take(input::Submit{.deadline = Instant{3s}});
  s.sender.wake_after(3s);
  EXPECT_EQ(s.guard->out, 1) << "the child is still at it";
  s.sender.take(input::Acknowledged{s.sender.hand_overs.at(1).back()});
  EXPECT_EQ(s.guard->successes, 1);
}

TEST(sender_guard, the_end_gives_all_permits_back) {
  GuardedSender s;
  s.sender.start();
  for (int i = 0; i < 3; ++i)
    s.sender.submit();
  s.sender.take(input::Stop{});
  EXPECT_EQ(s.guard->forgotten_calls, 0) << "the child is still at it";
  s.sender.stop_normally();
  EXPECT_EQ(s.guard->forgotten_calls, 3);
  EXPECT_EQ(s.guard->out, 0);
}

// -- coming back ----------------------------------------------------------------------------

TEST(sender_guard, that_it_closed_is_no_news_to_who_was_not_held_back) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();

  EXPECT_THAT(s.sender.take(input::GuardClosed{10s}), IsEmpty());
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_guard, a_backlog_comes_back_one_at_a_time_first) {
  GuardedSender s;
  s.sender.start();
  s.open();
  for (int i = 0; i < 5; ++i)
    s.sender.submit();
  s.guard->guard.close(s.sender.now);

  EXPECT_THAT(s.sender.take(input::GuardClosed{0s}), ElementsAre("wake at 0ns"));
  EXPECT_THAT(s.sender.wake_after(0s), ElementsAre("hand over 1"));
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1", "hand over 2", "hand over 3"));
}

TEST(sender_guard, a_thousand_senders_come_back_over_the_spread) {
  std::vector<int> comers(10);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    GuardedSender s{{}, {after_two(), {}}, i};
    s.sender.start();
    s.guard->guard.isolate(s.sender.now);
    s.sender.submit();
    s.sender.take(input::GuardClosed{10s});
    const auto due = s.sender.engine->due();
    ASSERT_LT(due, Instant{10s});
    ++comers[static_cast<std::size_t>(due.since_origin / 1s)];
  }
  for (const auto share : comers) {
    EXPECT_GT(share, 60) << "of 100";
    EXPECT_LT(share, 140) << "of 100";
  }
}

TEST(sender_guard, that_is_isolated_while_a_child_is_made_is_not_called) {
  GuardedSender s;
  s.open();
  s.sender.take(input::Start{});
  s.sender.submit();
  EXPECT_THAT(s.sender.wake_after(10s), ElementsAre("start child 1"));
  s.guard->guard.isolate(s.sender.now);
  EXPECT_THAT(s.sender.child_started(), IsEmpty());
  EXPECT_EQ(s.guard->out, 0);
  s.guard->guard.close(s.sender.now);
  EXPECT_THAT(s.sender.take(input::RetryNow{}), ElementsAre("hand over 1"));
}

TEST(sender_guard, retry_now_asks_again_at_once) {
  GuardedSender s;
  s.sender.start();
  s.guard->guard.isolate(s.sender.now);
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(s.sender.take(input::RetryNow{}), IsEmpty()) << "it is isolated still";
  s.guard->guard.close(s.sender.now);
  EXPECT_THAT(s.sender.take(input::RetryNow{}), ElementsAre("hand over 1"));
}

} // namespace backoff_actor::engine_test
