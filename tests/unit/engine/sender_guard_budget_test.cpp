#include "guarded_sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

// -- budgets --------------------------------------------------------------------------------

GuardOptions one_retry_a_second() { return {{}, RetryBudgetOptions{0, 1, 1s}}; }

TEST(sender_guard, in_strict_order_nobody_passes_a_retry_that_waits_for_the_budget) {
  GuardedSender s{{}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.crash_and_resend(10ms);
  s.sender.crash_and_resend(30ms);

  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(s.sender.wake_after(970ms), ElementsAre("hand over 1"));
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

TEST(sender_guard, where_order_is_free_first_attempts_pass_a_retry_that_waits_for_the_budget) {
  GuardedSender s{{.ordering = Ordering::unordered}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(1h);
  s.sender.nack(1);
  s.sender.wake_after(200ms); // its backoffs are over, but the budget is not full
  EXPECT_EQ(s.sender.hand_overs.at(1).size(), 2);

  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_guard, what_its_key_has_freed_is_a_first_attempt_and_passes_a_retry_without_budget) {
  GuardedSender s{{.ordering = Ordering::per_key}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(1h);
  s.sender.nack(1);
  s.sender.take(input::Submit{.key = 7});
  s.sender.take(input::Submit{.key = 7}); // blocked by the one before
  s.sender.wake_after(200ms); // the backoffs of the first are over, but the budget is not full
  EXPECT_EQ(s.sender.hand_overs.at(1).size(), 2);

  EXPECT_THAT(s.sender.ack(2), Contains("hand over 3"));
}

TEST(sender_guard, a_first_attempt_that_has_expired_passes_no_retry) {
  GuardedSender s{{.ordering = Ordering::unordered}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(1h);
  s.sender.nack(1);
  s.sender.wake_after(200ms); // its backoffs are over, but the budget is not full
  s.sender.take(input::Pause{});
  s.sender.take(input::Submit{.deadline = s.sender.now + 50ms});
  s.sender.now = s.sender.now + 60ms; // and nobody woke the sender

  EXPECT_THAT(s.sender.take(input::Resume{}), Contains("dead letter 2 expired"));
  EXPECT_EQ(s.sender.hand_overs.count(2), 0U);
}

TEST(sender_guard, what_waited_behind_the_culprit_of_a_crash_is_no_retry) {
  GuardedSender s{{}, one_retry_a_second()};
  s.sender.start();
  for (int i = 0; i < 100; ++i)
    s.sender.submit();
  s.sender.crash_and_resend(10ms);
  for (std::uint64_t i = 1; i <= 100; ++i)
    s.sender.ack(i);
  EXPECT_EQ(s.sender.engine->owed(), 0) << "the child had begun with one";
  EXPECT_EQ(s.guard->retries, 1);
}

TEST(sender_guard, all_that_a_child_of_many_held_when_it_crashed_are_retries) {
  GuardedSender s{{.works_on = WorksOn::many}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.submit();
  EXPECT_THAT(s.sender.crash_and_resend(10ms), ElementsAre("hand over 1"));
  s.sender.ack(1);
  EXPECT_FALSE(s.sender.in_flight(2)) << "it may have been begun too, and waits for the budget";
  EXPECT_EQ(s.guard->firsts, 2);
  EXPECT_EQ(s.guard->retries, 1);
}

TEST(sender_guard, many_retries_that_wait_for_the_budget_ask_as_one) {
  GuardedSender s{{.works_on = WorksOn::many, .ordering = Ordering::unordered},
                  one_retry_a_second()};
  s.sender.start();
  for (int i = 0; i < 100; ++i)
    s.sender.submit();
  for (std::uint64_t i = 1; i <= 100; ++i)
    s.sender.nack(i);
  s.sender.now = Instant{1h}; // all backoffs are over
  s.sender.take(input::Wake{});
  const auto asked_before = s.guard->asked;
  for (int second = 0; second < 10; ++second)
    s.sender.wake_after(1s);
  EXPECT_LE(s.guard->asked - asked_before, 20) << "one is admitted each second, and one is not";
}

TEST(sender_guard, first_attempts_pass_a_restored_retry_that_waits_for_the_budget) {
  GuardedSender s{{.ordering = Ordering::unordered, .persist = true}, one_retry_a_second()};
  s.sender.take(input::Restore{.delivery = 1, .attempts = 1});
  s.sender.take(input::Restore{.delivery = 2, .attempts = 1});
  s.sender.take(input::Start{2});
  EXPECT_THAT(s.sender.take(input::ChildStarted{1}), Contains("hand over 1"));
  EXPECT_FALSE(s.sender.in_flight(2));
  EXPECT_EQ(s.status().phase, Phase::waiting);
  EXPECT_TRUE(s.status().is_held_back);

  s.sender.submit();
  EXPECT_THAT(s.sender.take(input::Persisted{2, 3}), ElementsAre("confirm 3", "hand over 3"));
  EXPECT_THAT(s.sender.wake_after(1s), ElementsAre("hand over 2"));
}

TEST(sender_guard, that_all_wait_for_the_budget_is_in_the_status) {
  GuardedSender s{{.ordering = Ordering::unordered}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(1h);
  s.sender.nack(1);
  s.sender.wake_after(500ms);
  EXPECT_TRUE(s.status().is_held_back);
  EXPECT_EQ(s.status().held_back_by, HeldBackBy::retry_budget);
  EXPECT_EQ(s.status().phase, Phase::waiting);
  EXPECT_EQ(s.status().due_in, 500ms);
  s.sender.take(input::Stop{});
  EXPECT_FALSE(s.status().is_held_back);
}

TEST(sender_guard, a_child_that_was_put_off_is_made_for_a_first_attempt_behind_retries_that_wait) {
  GuardedSender s{{.ordering = Ordering::unordered},
                  {after_two(), RetryBudgetOptions{0, 0.001, 1s}}};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(10s); // spends the only retry
  s.sender.crash();         // and opens the breaker
  ASSERT_FALSE(s.guard->is_closed());
  s.sender.wake_after(1s);
  s.sender.submit();
  s.sender.wake_after(9s);
  EXPECT_EQ(s.sender.engine->incarnation(), 2) << "made for delivery 2";
  EXPECT_THAT(s.sender.child_started(), Contains("hand over 2"));
}

TEST(sender_guard, no_child_is_made_while_all_are_retries_that_wait_for_the_budget) {
  auto breaker = after_two();
  breaker.trip = ConsecutiveFailures{3};
  breaker.open = Fixed{100ms};
  GuardedSender s{{.ordering = Ordering::unordered}, {breaker, RetryBudgetOptions{0, 0.001, 1s}}};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(10s); // spends the only retry
  s.sender.nack(1);
  s.sender.wake_after(10s);
  ASSERT_GT(s.status().due_in, 500ms) << "until then the budget is not asked again";
  const auto call_of_others = std::get<Permit>(s.guard->admit(s.sender.now, Call::first));
  s.guard->failed(call_of_others, s.sender.now);
  s.sender.crash();
  s.sender.wake_after(100ms); // the breaker would let a call through
  EXPECT_EQ(s.sender.engine->incarnation(), 1) << "nothing could be handed to it";
  s.sender.submit();
  EXPECT_EQ(s.sender.engine->incarnation(), 2);
}

// -- limits -----------------------------------------------------------------------------------

TEST(sender_guard, the_time_for_which_it_holds_back_is_no_time_of_failing) {
  GuardedSender s{{.max_elapsed = 1min}};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.guard->guard.isolate(s.sender.now);
  s.sender.wake_after(10ms);
  s.sender.now = Instant{1h};
  s.guard->guard.close(s.sender.now);
  s.sender.take(input::GuardClosed{0s});
  s.sender.wake_after(0s);
  s.sender.nack(1);
  EXPECT_NE(s.sender.engine->phase(), Phase::stopping);
  s.sender.wake_after(1min);
  s.sender.nack(1);
  EXPECT_EQ(s.sender.engine->phase(), Phase::stopping) << "a minute of its own";
}

// -- guards in front of the child -----------------------------------------------------------------

TEST(sender_guard,
     a_child_that_was_held_back_itself_charges_nothing_and_tells_nothing_of_the_service) {
  GuardedSender s{{.max_attempts = 1, .charging = Charging::every_failure(), .retry_after = 5min}};
  s.sender.start();
  s.sender.submit();
  Decision held_back{Verdict::retry, 1h};
  held_back.blame = Blame::nobody;
  for (int i = 0; i < 3; ++i) {
    s.sender.take(input::ErrorAnswer{
      s.sender.hand_overs.at(1).back(), {3, "held back"}, false, true, held_back});
    s.sender.wake_after(5min);
  }
  EXPECT_EQ(s.guard->forgotten_calls, 3);
  EXPECT_EQ(s.guard->failures, 0);
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1"));
}

TEST(sender_guard, what_a_child_held_back_itself_has_all_its_attempts_left) {
  EngineDriver sender{{.max_attempts = 2, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.take(input::Nacked{sender.hand_overs.at(1).back(), {3, "held back"}, {}, Blame::nobody});
  sender.wake_after(10ms);

  EXPECT_THAT(sender.nack(1), ElementsAre("wake at 40ms")) << "the first attempt";
  sender.wake_after(30ms);
  EXPECT_THAT(sender.nack(1), ElementsAre("dead letter 1 attempts_exhausted", "wake at 110ms"));
}

// -- children that never lived -----------------------------------------------------

TEST(sender_guard, a_probe_whose_child_died_before_it_was_there_has_failed) {
  GuardedSender s;
  s.open();
  s.sender.take(input::Start{});
  s.sender.submit();
  s.sender.wake_after(10s);
  s.sender.crash(); // the child was starting
  EXPECT_EQ(s.guard->failures, 1);
  EXPECT_EQ(s.guard->guard.status(s.sender.now).breaker, BreakerState::open);
}

TEST(sender_guard, a_start_that_fails_earns_no_retry) {
  GuardedSender s{{}, {{}, RetryBudgetOptions{0.5, 0, 10s}}};
  s.sender.take(input::Start{});
  s.sender.take(input::StartFailed{1, {3, "refused"}});
  EXPECT_EQ(s.guard->guard.status(s.sender.now).retries_left, 0);
}

// -- the fallback ---------------------------------------------------------------------------

TEST(sender_guard, the_fallback_is_not_guarded) {
  GuardedSender s{{.restart_limit = RestartLimit{1, 1h}, .has_fallback = true}};
  s.sender.start();
  s.sender.submit();
  s.sender.crash_and_resend(10ms);
  s.sender.crash(); // opens the breaker, and the fallback takes over
  ASSERT_FALSE(s.guard->is_closed());
  EXPECT_THAT(s.sender.child_started(), ElementsAre("hand over 1"));
  s.sender.ack(1);
  s.sender.wake_after(30ms);
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 2", "hand over 2", "wake at 10.01s"))
    << "the guard lets no probe of the primary through";
}

TEST(sender_guard, the_fallback_takes_what_the_budget_holds_back) {
  GuardedSender s{
    {.ordering = Ordering::unordered, .restart_limit = RestartLimit{0, 1h}, .has_fallback = true},
    {{}, RetryBudgetOptions{0, 0.001, 1s}}};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(10s); // spends the only retry
  s.sender.crash();         // the fallback takes over
  s.sender.child_started();
  s.sender.wake_after(10s);
  s.sender.take(input::ChildStarted{s.sender.engine->incarnation()});
  EXPECT_TRUE(s.sender.in_flight(1)) << "with the fallback";
}

} // namespace backoff_actor::engine_test
