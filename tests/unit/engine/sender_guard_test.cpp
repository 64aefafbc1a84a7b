#include "engine_driver.hpp"

#include "backoff_actor/guard/guard.hpp"
#include "backoff_actor/testing/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

/// Counts what it is told; each permit must come back once.
class CountingGuard final : public GuardPort {
public:
  explicit CountingGuard(const GuardOptions& options) : guard(options) {}

  Admission admit(Instant now, Call call) override {
    const auto answer = guard.admit(now, call);
    ++asked;
    if (std::holds_alternative<Permit>(answer)) {
      ++out;
      (call == Call::retry ? retries : firsts) += 1;
    }
    return answer;
  }
  void succeeded(Permit permit, Instant now) override {
    take_back(permit);
    ++successes;
    guard.succeeded(permit, now);
  }
  void failed(Permit permit, Instant now) override {
    take_back(permit);
    ++failures;
    guard.failed(permit, now);
  }
  void forgotten(Permit permit, Instant now) override {
    take_back(permit);
    ++forgotten_calls;
    guard.forgotten(permit, now);
  }
  bool is_closed() const override { return guard.is_closed(); }

  void take_back(Permit permit) {
    EXPECT_TRUE(permit);
    --out;
  }

  Guard guard;
  int asked = 0;
  int out = 0;
  int firsts = 0;
  int retries = 0;
  int successes = 0;
  int failures = 0;
  int forgotten_calls = 0;
};

// Opens after two failures for ten seconds, and tells everybody the end of them.
CircuitBreakerOptions after_two() {
  CircuitBreakerOptions result;
  result.trip = ConsecutiveFailures{2};
  result.open = Fixed{10s};
  result.spread = 0s;
  return result;
}

struct GuardedSender {
  explicit GuardedSender(EngineOptions options = {},
                         const GuardOptions& guard_options = {after_two(), {}},
                         std::uint64_t stream = 0)
    : guard(std::make_shared<CountingGuard>(guard_options)),
      sender((options.guard = guard, std::move(options)), stream) {}

  // Somebody else's call fails, so often that the breaker opens.
  void open() {
    for (int i = 0; i < 2; ++i)
      guard->failed(std::get<Permit>(guard->admit(sender.now, Call::first)), sender.now);
    ASSERT_FALSE(guard->is_closed());
    guard->failures = 0;
    guard->firsts = 0;
  }

  SenderStatus status() const { return sender.engine->status(sender.now); }

  std::shared_ptr<CountingGuard> guard;
  EngineDriver sender;
};

} // namespace

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

TEST(sender_guard, to_be_held_back_charges_no_attempt_and_steps_no_backoff) {
  testing::EventLog log;
  GuardedSender s{{.max_attempts = 1, .on_event = log.hook()}};
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

TEST(sender_guard, a_stop_gives_all_permits_back) {
  GuardedSender s;
  s.sender.start();
  for (int i = 0; i < 3; ++i)
    s.sender.submit();
  s.sender.take(input::Stop{});
  EXPECT_EQ(s.guard->forgotten_calls, 3);
  EXPECT_EQ(s.guard->out, 0);
}

// -- coming back ----------------------------------------------------------------------------

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

TEST(sender_guard, retry_now_asks_again_at_once) {
  GuardedSender s;
  s.sender.start();
  s.guard->guard.isolate(s.sender.now);
  EXPECT_THAT(s.sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(s.sender.take(input::RetryNow{}), IsEmpty()) << "it is isolated still";
  s.guard->guard.close(s.sender.now);
  EXPECT_THAT(s.sender.take(input::RetryNow{}), ElementsAre("hand over 1"));
}

// -- budgets --------------------------------------------------------------------------------

GuardOptions one_retry_a_second() { return {{}, RetryBudgetOptions{0, 1, 1s}}; }

TEST(sender_guard, a_resend_waits_until_the_budget_has_a_retry) {
  GuardedSender s{{}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  EXPECT_THAT(s.sender.crash_and_resend(10ms), ElementsAre("hand over 1"));
  EXPECT_EQ(s.guard->retries, 1);
  EXPECT_THAT(s.sender.crash_and_resend(30ms), ElementsAre("wake at 1.01s"));
  EXPECT_THAT(s.sender.wake_after(970ms), ElementsAre("hand over 1"));
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

TEST(sender_guard, that_all_wait_for_the_budget_is_in_the_status) {
  GuardedSender s{{.ordering = Ordering::unordered}, one_retry_a_second()};
  s.sender.start();
  s.sender.submit();
  s.sender.nack(1);
  s.sender.wake_after(1h);
  s.sender.nack(1);
  s.sender.wake_after(500ms);
  EXPECT_TRUE(s.status().is_held_back);
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
  EXPECT_THAT(s.sender.child_started(), ElementsAre("hand over 2"));
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
  EXPECT_NE(s.sender.engine->phase(), Phase::stopped);
  s.sender.wake_after(1min);
  s.sender.nack(1);
  EXPECT_EQ(s.sender.engine->phase(), Phase::stopped) << "a minute of its own";
}

// -- guards in front of the child -----------------------------------------------------------------

TEST(sender_guard,
     a_child_that_was_held_back_itself_charges_nothing_and_tells_nothing_of_the_service) {
  GuardedSender s{{.max_attempts = 1, .retry_after_ceiling = 5min}};
  s.sender.start();
  s.sender.submit();
  Decision held_back{Verdict::retry, 1h};
  held_back.is_held_back = true;
  for (int i = 0; i < 3; ++i) {
    s.sender.take(input::ErrorAnswer{
      s.sender.hand_overs.at(1).back(), {3, "held back"}, false, true, held_back});
    s.sender.wake_after(5min);
  }
  EXPECT_EQ(s.guard->forgotten_calls, 3);
  EXPECT_EQ(s.guard->failures, 0);
  EXPECT_THAT(s.sender.ack(1), ElementsAre("acknowledge 1"));
}

// -- children that never lived ----------------------------------------------------------------------

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
