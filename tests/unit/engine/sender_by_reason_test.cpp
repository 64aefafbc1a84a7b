// `EngineOptions::by_reason`: failures of one class wait, end and cost in a way of their own.

#include "guarded_sender.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

namespace {

Lines nack_as(EngineDriver& sender, std::uint64_t delivery, FailureReason reason) {
  input::Nacked nacked{sender.hand_overs.at(delivery).back(), {7, "busy"}};
  nacked.reason = reason;
  return sender.take(nacked);
}

} // namespace

TEST(sender_by_reason, waits_as_the_class_says_and_else_as_always) {
  EngineDriver sender{{.by_reason = "slow: backoff linear(1s, +1s, cap 1h)"}};
  sender.start();
  sender.submit();

  EXPECT_THAT(nack_as(sender, 1, "other"), ElementsAre("wake at 10ms"));
  sender.wake_after(10ms);
  EXPECT_THAT(nack_as(sender, 1, "slow"), ElementsAre("wake at 2.01s")) << "the second in a row";
  sender.wake_after(2s);
  EXPECT_THAT(nack_as(sender, 1, "other"), ElementsAre("wake at 2.08s")) << "the third: 70 ms";
  sender.wake_after(70ms);
  EXPECT_THAT(nack_as(sender, 1, "slow"), ElementsAre("wake at 6.08s")) << "the fourth";
}

TEST(sender_by_reason, begins_anew_after_an_acknowledgement) {
  EngineDriver sender{{.max_in_flight = 1, .by_reason = "slow: backoff linear(1s, +1s, cap 1h)"}};
  sender.start();
  sender.submit();
  sender.submit();
  nack_as(sender, 1, "slow");
  sender.wake_after(1s);
  nack_as(sender, 1, "slow");
  sender.wake_after(2s);
  sender.ack(1);

  EXPECT_THAT(nack_as(sender, 2, "slow"), ElementsAre("wake at 4s"));
}

TEST(sender_by_reason, holds_for_crashes_hangs_and_failed_starts_too) {
  EngineOptions options;
  options.by_reason = "child_down: backoff fixed(1s); ack_timeout: backoff fixed(2s); "
                      "start_failed: backoff fixed(3s)";
  options.ack_timeout = 100ms;
  options.on_hang = Decision::retry_as("ack_timeout");
  options.restart = RestartTiming::at_tick;
  EngineDriver sender{options};
  sender.start();
  sender.submit();

  sender.take(input::ChildDown{1, {7, "crash"}, Decision::retry_as("child_down")});
  EXPECT_EQ(sender.engine->due(), Instant{1s});
  sender.wake_after(1s);
  sender.take(input::StartFailed{2, {7, "no"}, Verdict::retry, "start_failed"});
  EXPECT_EQ(sender.engine->due(), Instant{4s});
  sender.wake_after(3s);
  sender.child_started();
  sender.wake_after(100ms);
  EXPECT_EQ(sender.engine->due(), Instant{6100ms});
}

TEST(sender_by_reason, ends_a_message_when_its_last_failure_is_of_a_class_that_allows_no_more) {
  EngineDriver sender{{.max_attempts = 5,
                       .by_reason = "rare: max_attempts 2; often: max_attempts 7",
                       .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  for (int i = 0; i < 3; ++i) {
    nack_as(sender, 1, "other");
    sender.wake_after(10s);
  }
  EXPECT_THAT(nack_as(sender, 1, "rare").front(), "dead letter 1 attempts_exhausted")
    << "the fourth attempt, though only two are allowed for this reason";

  sender.submit();
  sender.wake_after(10s);
  for (int i = 0; i < 6; ++i) {
    nack_as(sender, 2, "often");
    sender.wake_after(10s);
  }
  EXPECT_THAT(nack_as(sender, 2, "other").front(), "dead letter 2 attempts_exhausted");
}

TEST(sender_by_reason, has_limits_without_a_number_of_attempts_for_the_others) {
  EngineDriver sender{{.by_reason = "rare: max_attempts 2", .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  for (int i = 0; i < 20; ++i) {
    nack_as(sender, 1, "other");
    sender.wake_after(10s);
  }
  EXPECT_THAT(nack_as(sender, 1, "rare").front(), "dead letter 1 attempts_exhausted");
}

TEST(sender_by_reason, comes_after_what_the_message_says_itself) {
  EngineDriver sender{{.by_reason = "slow: max_attempts 2, backoff fixed(1s)",
                       .charging = Charging::every_failure()}};
  sender.start();
  sender.take(input::Submit{.own = own(OwnRetries{3, Policy{Fixed{20ms}}})});

  EXPECT_THAT(nack_as(sender, 1, "slow"), ElementsAre("wake at 20ms"));
  sender.wake_after(20ms);
  EXPECT_THAT(nack_as(sender, 1, "slow"), ElementsAre("wake at 40ms"));
  sender.wake_after(20ms);
  EXPECT_THAT(nack_as(sender, 1, "slow").front(), "dead letter 1 attempts_exhausted");
}

TEST(sender_by_reason, unordered_holds_for_the_wait_of_the_message) {
  EngineOptions options;
  options.by_reason = "slow: backoff linear(1s, +1s, cap 1h)";
  options.backoff_by = BackoffBy::message;
  options.ordering = Ordering::unordered;
  EngineDriver sender{options};
  sender.start();
  sender.submit();

  EXPECT_THAT(nack_as(sender, 1, "slow"), ElementsAre("wake at 1s"));
  sender.wake_after(1s);
  EXPECT_THAT(nack_as(sender, 1, "slow"), ElementsAre("wake at 3s"));
}

// A budget of three retries that earns one in a second.
GuardOptions three_retries() {
  return {{}, RetryBudgetOptions{.ratio = 0, .per_second = 1, .window = 3s}};
}

TEST(sender_by_reason, pays_the_price_of_the_class_from_the_retry_budget) {
  GuardedSender s{{.by_reason = "dear: cost 3; free: cost 0"}, three_retries()};
  auto& sender = s.sender;
  sender.start();
  sender.submit();

  nack_as(sender, 1, "dear");
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1")) << "all three are paid";
  EXPECT_EQ(s.guard->guard.status(sender.now).retries_left, 0);
  nack_as(sender, 1, "dear");
  EXPECT_THAT(sender.wake_after(30ms), ElementsAre("wake at 3.01s")) << "until three are earned";
  EXPECT_THAT(sender.wake_after(2970ms), ElementsAre("hand over 1"));
}

// p-retry makes a retry that is not charged at once.
TEST(sender_by_reason, a_retry_that_is_free_waits_as_any_other_and_an_empty_budget_lets_it_pass) {
  GuardedSender s{{.by_reason = "dear: cost 3; free: cost 0"}, three_retries()};
  auto& sender = s.sender;
  sender.start();
  sender.submit();
  nack_as(sender, 1, "dear");
  sender.wake_after(10ms);

  EXPECT_THAT(nack_as(sender, 1, "free"), ElementsAre("wake at 40ms"));
  EXPECT_THAT(sender.wake_after(29ms), ElementsAre("wake at 40ms"));
  EXPECT_THAT(sender.wake_after(1ms), ElementsAre("hand over 1"));
}

} // namespace backoff_actor::engine_test
