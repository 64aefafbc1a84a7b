// `input::Cancel`: a delivery is not to be worked on any more.

#include "engine_driver.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// A sender whose child lives and has the first delivery; the second waits. A child that is told
// that something is cancelled has 5 s.
EngineDriver with_two(EngineOptions options = {}) {
  EngineDriver result{std::move(options)};
  result.start();
  result.submit();
  result.submit();
  return result;
}

EngineOptions one_at_a_time() { return {.max_in_flight = 1}; }

// A sender with a store, which has taken the deliveries with these keys.
EngineDriver with_stored(EngineOptions options, const std::vector<std::uint64_t>& keys) {
  options.persist = true;
  EngineDriver result{std::move(options)};
  result.start();
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    result.take(input::Submit{.key = keys[i]});
    result.take(input::Persisted{i, i + 1});
  }
  return result;
}

SenderCounters counters(const EngineDriver& sender) {
  return sender.engine->status(sender.now).counters;
}

} // namespace

TEST(sender_cancel, of_what_waits_ends_it_at_once) {
  auto sender = with_two(one_at_a_time());
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(counters(sender).cancelled, 1U);
  EXPECT_EQ(counters(sender).dead_lettered, 0U);
}

TEST(sender_cancel, of_what_waits_makes_a_dead_letter_if_one_is_wanted) {
  auto sender = with_two(one_at_a_time());
  EXPECT_THAT(sender.cancel(2, true), ElementsAre("dead letter 2 cancelled"));
  EXPECT_EQ(counters(sender).cancelled, 0U);
  EXPECT_EQ(counters(sender).dead_lettered, 1U);
}

TEST(sender_cancel, of_what_waits_for_its_time_ends_it_at_once) {
  EngineDriver sender{{.ordering = Ordering::unordered}};
  sender.start();
  sender.take(input::Submit{.own = own(sender.now + 1h)});
  EXPECT_THAT(sender.cancel(1), ElementsAre("cancelled 1"));
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
}

TEST(sender_cancel, of_what_waits_for_its_retry_ends_it_at_once) {
  EngineDriver sender{{.ordering = Ordering::unordered}};
  sender.start();
  sender.submit();
  sender.nack(1);
  EXPECT_THAT(sender.cancel(1), ElementsAre("cancelled 1"));
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
}

TEST(sender_cancel, frees_its_key_for_the_next) {
  EngineDriver sender{{.ordering = Ordering::per_key}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.take(input::Submit{.key = 7});
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3"));
}

// -- with a store -------------------------------------------------------------------------

TEST(sender_cancel, holds_up_the_younger_of_its_key_until_that_is_stored) {
  auto sender = with_stored({.ordering = Ordering::per_key}, {7, 7, 7});
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  sender.take(input::Submit{.key = 8});
  EXPECT_THAT(sender.take(input::Persisted{0, 4}), ElementsAre("confirm 4", "hand over 4"))
    << "other keys go on";
  EXPECT_EQ(sender.engine->status(sender.now).ghosts, 0U) << "no child has it";
  EXPECT_THAT(sender.cancel_stored(2), ElementsAre("hand over 3"));
  EXPECT_THAT(sender.cancel_stored(2), IsEmpty());
}

TEST(sender_cancel, of_the_first_of_its_key_holds_up_the_younger_until_that_is_stored) {
  auto sender = with_stored({.ordering = Ordering::per_key, .max_in_flight = 1}, {8, 7, 7, 9});
  EXPECT_THAT(sender.cancel(2, true), ElementsAre("dead letter 2 cancelled"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 4"));
  EXPECT_THAT(sender.ack(4), ElementsAre("acknowledge 4"));
  EXPECT_THAT(sender.cancel_stored(2), ElementsAre("hand over 3"));
}

TEST(sender_cancel, in_strict_order_holds_up_all_younger_ones_until_that_is_stored) {
  auto sender = with_stored(one_at_a_time(), {0, 0, 0});
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(sender.engine->owed(), 1U);
  EXPECT_THAT(sender.cancel_stored(2), ElementsAre("hand over 3"));
}

TEST(sender_cancel, without_an_order_holds_up_nobody) {
  auto sender = with_stored({.ordering = Ordering::unordered, .max_in_flight = 1}, {7, 7, 7});
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3"));
}

TEST(sender_cancel, of_what_waits_for_its_retry_holds_up_its_key_until_that_is_stored) {
  auto sender = with_stored({.ordering = Ordering::per_key}, {7, 7});
  sender.nack(1);
  EXPECT_THAT(sender.cancel(1), ElementsAre("cancelled 1"));
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_THAT(sender.cancel_stored(1), ElementsAre("hand over 2"));
}

TEST(sender_cancel, of_what_its_child_then_refuses_holds_up_its_key_until_that_is_stored) {
  auto sender = with_stored({.ordering = Ordering::per_key}, {7, 7});
  sender.cancel(1);
  EXPECT_THAT(sender.cancel_stored(1), IsEmpty()) << "its child still has it";
  EXPECT_THAT(sender.nack(1), ElementsAre("cancelled 1"));
  EXPECT_EQ(sender.engine->status(sender.now).in_flight, 0U);
  EXPECT_THAT(sender.nack(1), IsEmpty()) << "the answer comes late";
  EXPECT_THAT(sender.cancel_stored(1), ElementsAre("hand over 2"));
}

TEST(sender_cancel, of_what_is_not_stored_yet_holds_up_the_younger_until_that_is_stored) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.cancel(1), ElementsAre("cancelled 1"));
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), IsEmpty());
  EXPECT_THAT(sender.take(input::Persisted{1, 2}), ElementsAre("confirm 2"));
  EXPECT_THAT(sender.cancel_stored(1), ElementsAre("hand over 2"));
}

TEST(sender_cancel, in_its_place_is_replaced_no_more_and_expires_no_more) {
  auto sender = with_stored({.ordering = Ordering::per_key}, {7});
  sender.take(input::Submit{.deadline = sender.now + 1s, .key = 7});
  sender.take(input::Persisted{1, 2});
  sender.cancel(2);
  EXPECT_THAT(sender.take(input::Replace{1, 2}), IsEmpty());
  EXPECT_THAT(sender.take(input::Replaced{1, 2, 0, true}), IsEmpty());
  EXPECT_THAT(sender.take(input::Drain{1}), IsEmpty());
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "drained 1, 0 left"));
  EXPECT_EQ(sender.engine->owed(), 0U) << "it is not owed";
}

// -- in work ------------------------------------------------------------------------------

TEST(sender_cancel, of_what_a_child_has_tells_the_child_and_waits) {
  auto sender = with_two(one_at_a_time());
  EXPECT_THAT(sender.cancel(1), ElementsAre("tell 1 that 1 is cancelled", "wake at 5s"));
  EXPECT_EQ(sender.engine->owed(), 2U);
  EXPECT_EQ(counters(sender).cancelled, 0U);
}

TEST(sender_cancel, ends_with_any_answer_of_the_child_and_charges_nobody) {
  const auto ended_by = [](auto answer) {
    auto sender = with_two({.max_in_flight = 1, .max_attempts = 1});
    sender.cancel(1);
    return answer(sender);
  };
  EXPECT_THAT(ended_by([](EngineDriver& x) { return x.nack(1); }),
              ElementsAre("cancelled 1", "hand over 2"));
  EXPECT_THAT(ended_by([](EngineDriver& x) { return x.reject(1); }),
              ElementsAre("cancelled 1", "hand over 2"));
  EXPECT_THAT(ended_by([](EngineDriver& x) {
                x.error(1, 7);
                return x.take(input::ChildAlive{1, 1});
              }),
              ElementsAre("cancelled 1", "hand over 2"));
  EXPECT_THAT(ended_by([](EngineDriver& x) {
                x.error(1, 7, false, Verdict::give_up);
                return x.take(input::ChildAlive{1, 1});
              }),
              ElementsAre("cancelled 1", "hand over 2"))
    << "nor does the sender end for it";
}

TEST(sender_cancel, comes_too_late_if_the_child_has_done_it) {
  auto sender = with_two(one_at_a_time());
  sender.cancel(1);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
  EXPECT_EQ(counters(sender).acknowledged, 1U);
  EXPECT_EQ(counters(sender).cancelled, 0U);
  EXPECT_THAT(sender.cancel(1), IsEmpty()) << "it is over";
}

TEST(sender_cancel, ends_a_child_that_does_not_answer_and_charges_nobody) {
  auto sender = with_two({.max_attempts = 1});
  sender.cancel(1);
  EXPECT_THAT(sender.wake_after(5s - 1ns), ElementsAre("wake at 5s"));
  EXPECT_THAT(sender.wake_after(1ns), ElementsAre("tell to end 1", "wake at 10s"));
  EXPECT_THAT(sender.down(1), ElementsAre("cancelled 1", "start child 2"))
    << "at once: no backoff for what was cancelled";
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 2"));
  EXPECT_EQ(counters(sender).hangs, 0U);
  EXPECT_EQ(counters(sender).crashes, 0U);
}

TEST(sender_cancel, abandons_a_child_that_does_not_end_either) {
  auto sender = with_two(one_at_a_time());
  sender.cancel(1);
  sender.wake_after(5s);
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("abandon 1", "cancelled 1", "start child 2"));
}

TEST(sender_cancel, counts_an_answer_that_comes_while_the_child_ends) {
  auto sender = with_two(one_at_a_time());
  sender.cancel(1);
  sender.wake_after(5s);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(counters(sender).cancelled, 0U);
}

TEST(sender_cancel, makes_the_crash_of_the_child_nobodys_failure) {
  auto sender = with_two({.max_attempts = 1});
  sender.cancel(1);
  EXPECT_THAT(sender.crash(), ElementsAre("cancelled 1", "start child 2"));
  EXPECT_EQ(counters(sender).crashes, 0U);
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 2"));
}

TEST(sender_cancel, makes_the_hang_of_the_child_nobodys_failure) {
  auto sender = with_two({.max_in_flight = 1, .max_attempts = 1, .ack_timeout = 2s});
  sender.cancel(1);
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("tell to end 1", "wake at 5s"));
  EXPECT_THAT(sender.down(1), ElementsAre("cancelled 1", "start child 2"));
  EXPECT_EQ(counters(sender).hangs, 0U);
}

TEST(sender_cancel, tells_the_child_again_if_it_comes_again_and_gives_it_no_more_time) {
  auto sender = with_two(one_at_a_time());
  sender.cancel(1);
  sender.now = sender.now + 3s;
  EXPECT_THAT(sender.cancel(1, true), ElementsAre("tell 1 that 1 is cancelled, letter"));
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("tell to end 1", "wake at 10s"));
  EXPECT_THAT(sender.down(1), ElementsAre("dead letter 1 cancelled", "start child 2"));
}

TEST(sender_cancel, keeps_an_earlier_deadline_which_then_ends_the_child) {
  EngineDriver sender{one_at_a_time()};
  sender.start();
  sender.submit_within(2s);
  sender.cancel(1);
  EXPECT_THAT(sender.wake_after(2s), ElementsAre("tell to end 1", "wake at 7s"));
  EXPECT_THAT(sender.down(1), ElementsAre("cancelled 1", "start child 2"));
}

TEST(sender_cancel, holds_when_the_sender_ends) {
  EngineDriver sender{{.max_in_flight = 1, .persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});
  sender.cancel(1);
  EXPECT_THAT(sender.take(input::Kill{}), ElementsAre("stop child 1", "cancelled 1"))
    << "it does not stay owed";
}

TEST(sender_cancel, of_what_is_not_stored_yet_counts_it_as_accepted) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.cancel(1), ElementsAre("cancelled 1"));
  EXPECT_EQ(counters(sender).accepted, 1U);
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), IsEmpty());
}

TEST(sender_cancel, of_what_an_earlier_sender_was_told_to_cancel_ends_it_at_the_start) {
  EngineDriver sender{{.persist = true}};
  EXPECT_THAT(
    sender.take(input::Restore{.delivery = 3,
                               .own = std::make_shared<const input::OwnTerms>(
                                 input::OwnTerms{.is_cancelled = true, .wants_letter = true})}),
    ElementsAre("accept 3", "dead letter 3 cancelled"));
}

TEST(sender_cancel, of_what_is_not_there_does_nothing) {
  auto sender = with_two(one_at_a_time());
  EXPECT_THAT(sender.take(input::Cancel{0, 2}), IsEmpty()) << "another is in that slot";
  EXPECT_THAT(sender.take(input::Cancel{99, 1}), IsEmpty());
  EXPECT_EQ(sender.engine->owed(), 2U);
}

TEST(sender_cancel, finds_a_delivery_by_its_number) {
  EngineDriver sender{{.ordering = Ordering::unordered, .max_in_flight = 1}};
  EXPECT_FALSE(sender.engine->slot_of(1)) << "there was none yet";
  EXPECT_EQ(sender.engine->last_delivery(), 0U);
  sender.start();
  sender.submit();
  sender.submit();
  sender.take(input::Submit{.own = own(sender.now + 1h)});
  ASSERT_TRUE(sender.engine->slot_of(1) && sender.engine->slot_of(2) && sender.engine->slot_of(3));
  EXPECT_TRUE(sender.engine->is_in_work(*sender.engine->slot_of(1)));
  EXPECT_FALSE(sender.engine->is_in_work(*sender.engine->slot_of(2)));
  EXPECT_FALSE(sender.engine->is_in_work(*sender.engine->slot_of(3)));
  EXPECT_FALSE(sender.engine->slot_of(4));
  EXPECT_EQ(sender.engine->last_delivery(), 3U);
}

TEST(sender_cancel, in_a_pool_ends_one_worker_alone) {
  EngineOptions options;
  options.ordering = Ordering::unordered;
  options.pool.kinds = {{.workers = {2, 2}}};
  EngineDriver sender{std::move(options)};
  sender.take(input::Start{});
  sender.take(input::ChildStarted{1});
  sender.take(input::ChildStarted{2});
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.cancel(1), ElementsAre("tell 1 that 1 is cancelled", "wake at 5s"));
  EXPECT_THAT(sender.wake_after(5s), ElementsAre("tell to end 1", "wake at 10s"));
  EXPECT_THAT(sender.down(1), ElementsAre("cancelled 1", "start child 3"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
}

} // namespace backoff_actor::engine_test
