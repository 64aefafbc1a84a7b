// A sender whose store another process may own: from the instant on that it was told last, it hands
// over nothing.

#include "engine_driver.hpp"
#include "guarded_sender.hpp"
#include "pool_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// Sure until 1 s, and one delivery at a time.
EngineDriver sure_for_a_second(EngineOptions options = {.max_in_flight = 1}) {
  EngineDriver sender{std::move(options)};
  sender.start();
  sender.take(input::SureUntil{Instant{1s}});
  return sender;
}

Lines sure_until(EngineDriver& sender, Duration until) {
  return sender.take(input::SureUntil{Instant{until}});
}

bool hands_over(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const auto& x) { return x.rfind("hand over", 0) == 0; });
}

} // namespace

TEST(sender_sureness, lasts_up_to_the_instant_and_not_at_it) {
  auto sender = sure_for_a_second();
  sender.now = Instant{1s - 1ns};
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1"));
  sender.ack(1);
  sender.now = Instant{1s};
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
}

TEST(sender_sureness, that_comes_back_later_lets_what_waits_go) {
  auto sender = sure_for_a_second();
  sender.now = Instant{2s};
  sender.submit();
  EXPECT_THAT(sure_until(sender, 2s), IsEmpty());
  EXPECT_THAT(sure_until(sender, 3s), ElementsAre("hand over 1"));
}

TEST(sender_sureness, may_end_earlier_than_was_told_before) {
  auto sender = sure_for_a_second();
  sender.take(input::SureUntil{Instant{Duration::min()}});
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(sender.take(input::SureUntil{Instant::never()}), ElementsAre("hand over 1"));
}

TEST(sender_sureness, is_not_needed_for_acknowledgements_and_failures) {
  auto sender = sure_for_a_second({.ordering = Ordering::unordered, .max_in_flight = 3});
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.now = Instant{1s};
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.reject(2), ElementsAre("dead letter 2 rejected"));
  EXPECT_THAT(sender.nack(3), Not(Contains("hand over 3")));
  EXPECT_EQ(sender.engine->owed(), 2u);
}

TEST(sender_sureness, holds_up_a_retry_whose_delay_is_over) {
  auto sender = sure_for_a_second();
  sender.submit();
  sender.now = Instant{995ms};
  EXPECT_THAT(sender.crash(), Contains("wake at 1.005s"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), Not(Contains("hand over 1")));
  EXPECT_THAT(sure_until(sender, 3s), ElementsAre("hand over 1"));
}

TEST(sender_sureness, does_not_hold_up_the_start_of_a_child) {
  EngineDriver sender{{}};
  sender.take(input::SureUntil{Instant{Duration::min()}});
  EXPECT_THAT(sender.take(input::Start{}), ElementsAre("start child 1"));
  sender.submit();
  EXPECT_THAT(sender.take(input::ChildStarted{1}), IsEmpty());
  EXPECT_THAT(sure_until(sender, 1s), ElementsAre("hand over 1"));
}

TEST(sender_sureness, holds_up_the_fallback_and_the_child_that_is_to_come_back) {
  EngineOptions options;
  options.restart_limit = RestartLimit{0, 1s};
  options.has_fallback = true;
  options.max_in_flight = 1;
  auto sender = sure_for_a_second(std::move(options));
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.now = Instant{995ms};
  sender.crash();
  sender.now = Instant{1s};
  EXPECT_THAT(sender.child_started(), IsEmpty()) << "the fallback";
  sender.wake_after(10ms);
  EXPECT_FALSE(hands_over(sender.take(input::ChildStarted{3})));
  EXPECT_TRUE(hands_over(sure_until(sender, 3s)));
}

TEST(sender_sureness, holds_up_what_a_guard_lets_through_again) {
  GuardedSender x{{.max_in_flight = 1}};
  x.sender.start();
  x.open();
  x.sender.take(input::SureUntil{Instant{1s}});
  x.sender.submit();
  const auto permits = x.guard->firsts + x.guard->retries;
  x.sender.now = Instant{10s};
  EXPECT_FALSE(hands_over(x.sender.take(input::Wake{})));
  EXPECT_EQ(x.guard->firsts + x.guard->retries, permits) << "no permit is taken for nothing";
  EXPECT_TRUE(hands_over(sure_until(x.sender, 20s)));
}

TEST(sender_sureness, holds_up_every_worker_of_a_pool_and_its_growth) {
  auto options = pool_options({{{2, 4}, 1}});
  options.pool.scaling = {.backlog_per_worker = 1, .grow_after = 1s};
  PoolDriver sender{2, std::move(options)};
  sender.take(input::SureUntil{Instant{1s}});
  for (int i = 0; i < 6; ++i)
    sender.submit();
  sender.now = Instant{1s};
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.wake_after(10s), Not(Contains("start child 3")));
  EXPECT_EQ(sender.pool().workers.size(), 2u);
  EXPECT_TRUE(hands_over(sure_until(sender, 20s)));
  EXPECT_THAT(sender.wake_after(1s), Contains("start child 3"));
}

TEST(sender_sureness, does_not_keep_a_deadline_from_passing) {
  auto sender = sure_for_a_second();
  sender.now = Instant{1s};
  EXPECT_THAT(sender.submit_within(1s), ElementsAre("accept 1", "wake at 2s"));
  EXPECT_THAT(sender.wake_after(1s), ElementsAre("dead letter 1 expired"));
  EXPECT_THAT(sure_until(sender, 5s), IsEmpty());
}

TEST(sender_sureness, of_a_sender_without_work_is_remembered) {
  auto sender = sure_for_a_second();
  sender.submit();
  sender.ack(1);
  EXPECT_EQ(sender.engine->owed(), 0u);
  sender.now = Instant{10s};
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
}

TEST(sender_sureness, that_was_never_told_lasts_for_ever) {
  EngineDriver sender;
  sender.start();
  sender.now = Instant{Duration::max() - 1ns};
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1"));
}

TEST(sender_sureness, does_not_lift_a_pause_nor_what_holds_back_a_store) {
  auto sender = sure_for_a_second();
  sender.take(input::Pause{});
  sender.now = Instant{1s};
  sender.submit();
  EXPECT_THAT(sender.take(input::Resume{}), Not(Contains("hand over 1")));
  sender.take(input::StoreBehind{true, {}});
  EXPECT_THAT(sure_until(sender, 5s), IsEmpty());
  EXPECT_THAT(sender.take(input::StoreBehind{false, {}}), ElementsAre("hand over 1"));
}

} // namespace backoff_actor::engine_test
