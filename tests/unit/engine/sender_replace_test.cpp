// `input::Replace`: a delivery that waits gets another payload.

#include "engine_driver.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// A sender whose child lives and has the first delivery; the second waits.
EngineDriver with_one_waiting(EngineOptions options = {.max_in_flight = 1}) {
  EngineDriver result{std::move(options)};
  result.start();
  result.submit();
  result.submit();
  return result;
}

// The same, with all deliveries in the store.
EngineDriver with_one_stored(EngineOptions options = {.max_in_flight = 1}) {
  options.persist = true;
  EngineDriver result{std::move(options)};
  result.start();
  for (std::uint64_t i = 1; i <= 2; ++i) {
    result.submit();
    result.take(input::Persisted{static_cast<std::uint32_t>(i - 1), i});
  }
  return result;
}

} // namespace

TEST(sender_replace, of_what_waits_leaves_it_in_its_place) {
  auto sender = with_one_waiting();
  sender.submit();
  EXPECT_THAT(sender.replace(2), ElementsAre("replace 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3"));
}

TEST(sender_replace, changes_nothing_of_what_a_child_has) {
  auto sender = with_one_waiting();
  EXPECT_THAT(sender.replace(1), IsEmpty());
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
  EXPECT_THAT(sender.replace(1), IsEmpty()) << "it is over";
}

TEST(sender_replace, keeps_the_time_and_the_deadline) {
  EngineDriver sender{{.ordering = Ordering::unordered}};
  sender.start();
  sender.take(input::Submit{.deadline = sender.now + 3h, .own = own(sender.now + 1h)});
  EXPECT_THAT(sender.replace(1), ElementsAre("replace 1"));
  EXPECT_THAT(sender.wake_after(1h - 1ns), ElementsAre("wake at 1h"));
  EXPECT_THAT(sender.wake_after(1ns), ElementsAre("hand over 1", "wake at 3h"));
  sender.nack(1);
  sender.replace(1);
  EXPECT_THAT(sender.wake_after(2h), ElementsAre("dead letter 1 expired"));
}

TEST(sender_replace, hands_nothing_over_before_the_store_has_answered) {
  auto sender = with_one_stored();
  EXPECT_THAT(sender.replace(2), ElementsAre("replace 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.replaced(2), ElementsAre("hand over 2"));
}

TEST(sender_replace, goes_on_with_the_old_payload_if_the_store_takes_no_new_one) {
  auto sender = with_one_stored();
  sender.replace(2);
  sender.ack(1);
  EXPECT_THAT(sender.replaced(2, /*is_new=*/false), ElementsAre("hand over 2"));
  EXPECT_THAT(sender.replaced(2), IsEmpty()) << "nobody waits for that any more";
}

TEST(sender_replace, of_one_that_the_store_does_not_have_yet_waits_for_both) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.replace(1), ElementsAre("replace 1"));
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), ElementsAre("confirm 1"));
  EXPECT_THAT(sender.replaced(1), ElementsAre("hand over 1"));
}

TEST(sender_replace, lets_the_new_payload_begin_without_failed_attempts) {
  EngineDriver sender{{.backoff_by = BackoffBy::message,
                       .ordering = Ordering::unordered,
                       .max_attempts = 2,
                       .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.nack(1);
  sender.replace(1);
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.nack(1), ElementsAre("wake at 10ms")) << "its own backoff begins anew, too";
  EXPECT_THAT(sender.wake_after(0ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.nack(1), ElementsAre("dead letter 1 attempts_exhausted"));
}

TEST(sender_replace, keeps_the_failed_attempts_if_the_store_takes_no_new_payload) {
  EngineDriver sender{{.backoff_by = BackoffBy::message,
                       .ordering = Ordering::unordered,
                       .max_attempts = 2,
                       .charging = Charging::every_failure(),
                       .persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});
  sender.nack(1);
  sender.replace(1);
  sender.replaced(1, /*is_new=*/false);
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.nack(1), ElementsAre("dead letter 1 attempts_exhausted"));
}

TEST(sender_replace, hears_of_no_child_that_had_the_old_payload) {
  EngineDriver sender{{.ordering = Ordering::unordered, .ack_timeout = 1s}};
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs.at(1).back();
  sender.wake_after(1s); // the child hangs, and is told to end
  sender.wake_after(5s); // it is left to itself
  sender.replace(1);
  EXPECT_THAT(sender.ack(first), IsEmpty()) << "the new payload is not done";
  EXPECT_EQ(sender.engine->owed(), 1U);
  EXPECT_EQ(sender.engine->status(sender.now).counters.late_answers, 1U);
}

TEST(sender_replace, lets_a_suspect_go_with_others_again) {
  EngineDriver sender{{.works_on = WorksOn::many, .ordering = Ordering::unordered}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.crash();
  sender.replace(2);
  sender.replace(3);
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2", "hand over 3"));
}

TEST(sender_replace, is_no_evidence_for_the_fault_of_a_message) {
  EngineDriver sender{
    {.backoff_by = BackoffBy::message, .ordering = Ordering::unordered, .max_attempts = 1}};
  sender.start();
  sender.submit();
  sender.nack(1);
  sender.replace(1);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2")) << "the old payload alone had failed";
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
}

TEST(sender_replace, counts_the_weight_of_the_new_payload) {
  EngineDriver sender{{.max_in_flight = 1, .capacity_bytes = 100}};
  sender.start();
  sender.take(input::Submit{.weight = 40});
  sender.take(input::Submit{.weight = 20});
  EXPECT_TRUE(sender.engine->has_room_in_place(1, 60));
  EXPECT_FALSE(sender.engine->has_room_in_place(1, 61));
  sender.replace(2, 60);
  EXPECT_EQ(sender.engine->status(sender.now).owed_bytes, 100U);
  EXPECT_FALSE(sender.engine->has_room(1));
  sender.replace(2, 5);
  EXPECT_TRUE(sender.engine->has_room(55));
}

TEST(sender_replace, leaves_what_is_not_written_to_the_store_at_the_end) {
  auto sender = with_one_stored();
  sender.replace(2);
  sender.take(input::Kill{});
  ASSERT_EQ(sender.suspended.size(), 2U);
  EXPECT_EQ(sender.suspended[1].delivery, 2U);
}

TEST(sender_replace, ends_as_others_do_before_the_store_has_answered) {
  auto sender = with_one_stored();
  sender.replace(2);
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2"));
  EXPECT_THAT(sender.replaced(2), IsEmpty());
}

} // namespace backoff_actor::engine_test
