// `input::OwnTerms::not_before`: a delivery waits for its time.

#include "engine_driver.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// A sender whose child lives.
EngineDriver started(EngineOptions options) {
  EngineDriver result{std::move(options)};
  result.start();
  return result;
}

Lines submit_for(EngineDriver& sender, Duration delay, std::uint64_t key = 0) {
  return sender.take(input::Submit{.key = key, .own = own(sender.now + delay)});
}

Lines submit_of(EngineDriver& sender, std::uint64_t key) {
  return sender.take(input::Submit{.key = key});
}

} // namespace

TEST(sender_scheduled, is_handed_over_at_its_time_to_the_nanosecond) {
  auto sender = started({.ordering = Ordering::unordered});
  EXPECT_THAT(submit_for(sender, 5s), ElementsAre("accept 1", "wake at 5s"));
  EXPECT_THAT(sender.wake_after(5s - 1ns), ElementsAre("wake at 5s"));
  EXPECT_THAT(sender.wake_after(1ns), ElementsAre("hand over 1"));
}

TEST(sender_scheduled, of_a_time_that_has_come_goes_at_once) {
  auto sender = started({.ordering = Ordering::unordered});
  EXPECT_THAT(submit_for(sender, 0s), ElementsAre("accept 1", "hand over 1"));
  EXPECT_THAT(submit_for(sender, -5s), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_scheduled, holds_up_nothing_without_order) {
  auto sender = started({.ordering = Ordering::unordered});
  submit_for(sender, 5s);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_scheduled, holds_up_all_behind_it_in_strict_order) {
  auto sender = started({.ordering = Ordering::strict});
  sender.submit();
  submit_for(sender, 5s);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("hand over 2", "hand over 3"));
}

TEST(sender_scheduled, holds_up_no_other_of_its_key_and_then_comes_last) {
  auto sender = started({.ordering = Ordering::per_key});
  submit_for(sender, 5s, 7);
  EXPECT_THAT(submit_of(sender, 7), ElementsAre("accept 2", "hand over 2"));
  EXPECT_THAT(submit_of(sender, 7), ElementsAre("accept 3"));
  EXPECT_THAT(sender.wake_after(5s), IsEmpty()) << "2 has the key, and 3 waits for it";
  EXPECT_THAT(submit_of(sender, 7), ElementsAre("accept 4"));

  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3", "hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 4"));
}

TEST(sender_scheduled, goes_in_order_of_submission_if_many_are_due_at_once) {
  auto sender = started({.ordering = Ordering::per_key});
  for (int i = 0; i < 3; ++i)
    submit_for(sender, 5s, 7);
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3"));
}

TEST(sender_scheduled, goes_by_its_time_if_the_wake_up_came_late) {
  auto sender = started({.ordering = Ordering::per_key});
  submit_for(sender, 5s, 7);
  submit_for(sender, 4s, 7);
  EXPECT_THAT(sender.wake_after(9s), ElementsAre("hand over 2"));
}

TEST(sender_scheduled, waits_on_when_all_delays_are_ended_by_hand) {
  auto sender = started({.ordering = Ordering::unordered});
  submit_for(sender, 5s);
  EXPECT_THAT(sender.take(input::RetryNow{}), IsEmpty());
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("hand over 1"));
}

TEST(sender_scheduled, expires_before_its_time_if_its_deadline_comes_first) {
  auto sender = started({.ordering = Ordering::unordered});
  sender.take(input::Submit{.deadline = sender.now + 3s, .own = own(sender.now + 5s)});
  EXPECT_THAT(sender.wake_after(3s), ElementsAre("dead letter 1 expired"));
  EXPECT_THAT(sender.wake_after(2s), IsEmpty());
}

TEST(sender_scheduled, waits_alone_and_is_retried_as_any_other_once_it_is_due) {
  auto sender = started({.ordering = Ordering::unordered});
  submit_for(sender, 5s);
  sender.wake_after(5s);
  EXPECT_THAT(sender.nack(1), ElementsAre("wake at 5.01s"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
}

TEST(sender_scheduled, counts_as_owed_and_its_age_only_from_its_time) {
  auto sender = started({.ordering = Ordering::unordered, .capacity = 2});
  submit_for(sender, 5s);
  auto status = sender.engine->status(sender.now + 4s);
  EXPECT_EQ(status.owed, 1U);
  EXPECT_EQ(status.scheduled, 1U);
  EXPECT_EQ(status.oldest_age, 0s);

  sender.wake_after(1s);
  sender.submit();
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: full"));
  EXPECT_EQ(sender.engine->status(sender.now + 2s).oldest_age, 2s) << "of the second";

  sender.ack(2);
  sender.wake_after(4s);
  status = sender.engine->status(sender.now + 3s);
  EXPECT_EQ(status.scheduled, 0U);
  EXPECT_EQ(status.oldest_age, 3s);
}

TEST(sender_scheduled, is_dropped_for_others_last_of_all) {
  auto sender = started({.ordering = Ordering::unordered,
                         .overflow = Overflow::drop_oldest,
                         .max_in_flight = 1,
                         .capacity = 3});
  submit_for(sender, 5s);
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 3 dropped", "accept 4"));
}

TEST(sender_scheduled, is_dropped_before_younger_ones_of_the_same_time) {
  auto sender =
    started({.ordering = Ordering::unordered, .overflow = Overflow::drop_oldest, .capacity = 3});
  submit_for(sender, 4s);
  submit_for(sender, 5s);
  submit_for(sender, 5s);
  EXPECT_THAT(submit_for(sender, 5s), ElementsAre("dead letter 1 dropped", "accept 4"));
  EXPECT_THAT(submit_for(sender, 5s), ElementsAre("dead letter 2 dropped", "accept 5"));
  EXPECT_THAT(submit_for(sender, 5s), ElementsAre("dead letter 3 dropped", "accept 6"));
}

TEST(sender_scheduled, outlives_its_sender_in_the_store_with_its_time) {
  auto sender = started({.ordering = Ordering::unordered, .persist = true});
  submit_for(sender, 5s);
  sender.take(input::Persisted{0, 1});
  sender.take(input::Stop{});
  sender.down(1);
  ASSERT_EQ(sender.suspended.size(), 1U);

  EngineDriver next{{.ordering = Ordering::unordered, .persist = true}};
  next.take(
    input::Restore{.delivery = 1, .submitted_at = next.now + -1s, .own = own(next.now + 4s)});
  next.take(
    input::Restore{.delivery = 2, .submitted_at = next.now + -9s, .own = own(next.now + -2s)});
  next.start();
  EXPECT_TRUE(next.in_flight(2));
  EXPECT_FALSE(next.in_flight(1));
  EXPECT_EQ(next.engine->status(next.now).oldest_age, 2s);
  EXPECT_THAT(next.wake_after(4s), ElementsAre("hand over 1"));
}

TEST(sender_scheduled, lets_a_child_stop_that_has_nothing_to_do_before) {
  auto sender = started({.ordering = Ordering::unordered});
  submit_for(sender, 5s);
  EXPECT_THAT(sender.stop_normally(), IsEmpty()) << "no failure, and no successor yet";
  EXPECT_EQ(sender.engine->status(sender.now).counters.crashes, 0U);
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_scheduled, is_given_up_at_the_end_behind_what_is_due) {
  auto sender = started({.ordering = Ordering::unordered});
  submit_for(sender, 5s);
  submit_for(sender, 4s);
  sender.take(input::Pause{});
  sender.submit();
  sender.take(input::Stop{});
  EXPECT_THAT(sender.down(1), ElementsAre("dead letter 3 stopped", "dead letter 2 stopped",
                                          "dead letter 1 stopped"));
}

} // namespace backoff_actor::engine_test
