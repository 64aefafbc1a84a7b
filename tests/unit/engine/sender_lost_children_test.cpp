// Children whose process takes them away, or is lost with them.

#include "guarded_sender.hpp"
#include "pool_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace backoff_actor::engine_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

// The first failure that is charged ends a delivery.
EngineOptions one_attempt() {
  EngineOptions result;
  result.max_attempts = 1;
  result.charging = Charging::every_failure();
  return result;
}

// -- nobody's fault ---------------------------------------------------------------------

TEST(sender_lost_children, what_a_withdrawn_worker_held_goes_to_another_at_once) {
  PoolDriver sender{2, one_attempt()};
  sender.submit();
  EXPECT_THAT(sender.withdrawn(1), ElementsAre("start child 3", "hand over 1 to 2"));
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::starting, WorkerState::serving));
}

TEST(sender_lost_children, what_a_lost_worker_held_goes_to_another_at_once) {
  PoolDriver sender{2, one_attempt()};
  sender.submit();
  EXPECT_THAT(sender.lost(1), ElementsAre("start child 3", "hand over 1 to 2"));
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::starting, WorkerState::serving));
}

TEST(sender_lost_children, are_no_failures) {
  std::vector<bool> failures;
  EngineOptions options;
  options.restart_limit = RestartLimit{0, std::chrono::hours{1}};
  options.on_event = [&](const Event& event) {
    if (const auto* const x = std::get_if<event::ChildDown>(&event))
      failures.push_back(x->is_failure);
  };
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.lost(1), ElementsAre("start child 2")) << "it does not give up";
  EXPECT_THAT(sender.withdrawn(2), ElementsAre("start child 3"));
  EXPECT_THAT(failures, ElementsAre(false, false));
  EXPECT_EQ(sender.engine->status(sender.now).counters.crashes, 0U);
  EXPECT_EQ(sender.engine->status(sender.now).total_retries, 0U);
}

TEST(sender_lost_children, are_made_again_at_once_also_while_they_start) {
  EngineDriver sender;
  sender.take(input::Start{});
  EXPECT_THAT(sender.lost(1), ElementsAre("start child 2"));
  EXPECT_THAT(sender.withdrawn(2), ElementsAre("start child 3"));
}

TEST(sender_lost_children, say_nothing_of_the_service_while_they_start) {
  GuardedSender x;
  x.sender.take(input::Start{});
  for (std::uint32_t i = 1; i <= 4; ++i)
    i % 2 == 0 ? x.sender.lost(i) : x.sender.withdrawn(i);
  EXPECT_EQ(x.guard->failures, 0);
  EXPECT_TRUE(x.guard->is_closed());
}

TEST(sender_lost_children, give_back_the_permit_with_which_they_were_to_start) {
  GuardedSender x;
  x.open();
  x.sender.take(input::Start{});
  x.sender.submit();
  ASSERT_THAT(x.sender.wake_after(seconds{10}), Contains("start child 1"));
  const auto asked = x.guard->asked;
  EXPECT_THAT(x.sender.lost(1), Contains("start child 2"));
  EXPECT_EQ(x.guard->asked, asked + 1);
  EXPECT_EQ(x.guard->forgotten_calls, 1);
  EXPECT_EQ(x.guard->out, 1);
}

// -- suspects ---------------------------------------------------------------------------

TEST(sender_lost_children, each_message_that_a_lost_worker_held_goes_alone) {
  PoolDriver sender{2, pool_options({{{2, 2}, 2}})};
  for (int i = 0; i < 4; ++i)
    sender.submit(); // 1 and 3 to the first, 2 and 4 to the second
  EXPECT_THAT(sender.lost(1), ElementsAre("start child 3"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2")) << "4 is still there";
  EXPECT_THAT(sender.take(input::ChildStarted{3}), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(4), ElementsAre("acknowledge 4", "hand over 3 to 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 5"));
}

TEST(sender_lost_children, what_a_withdrawn_worker_held_need_not_go_alone) {
  PoolDriver sender{2, pool_options({{{2, 2}, 2}})};
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.withdrawn(1);
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 1 to 2"));
}

TEST(sender_lost_children, a_message_that_was_alone_with_a_second_one_is_charged) {
  PoolDriver sender{2, one_attempt()};
  sender.submit();
  EXPECT_THAT(sender.lost(1), Contains("hand over 1 to 2"));
  const auto lines = sender.lost(2);
  EXPECT_THAT(lines, Contains("dead letter 1 attempts_exhausted"));
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::starting, WorkerState::waiting));
  EXPECT_EQ(sender.engine->status(sender.now).counters.crashes, 1U);
}

TEST(sender_lost_children, a_message_that_was_alone_with_a_second_one_waits) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.lost(1);
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.lost(2), ElementsAre("start child 3", "wake at 10ms"));
}

TEST(sender_lost_children, a_message_that_was_alone_with_a_withdrawn_one_stays_a_suspect) {
  EngineDriver sender{one_attempt()};
  sender.start();
  sender.submit();
  sender.lost(1);
  sender.child_started();
  EXPECT_THAT(sender.withdrawn(2), ElementsAre("start child 3")) << "it is not charged";
  sender.child_started();
  EXPECT_THAT(sender.lost(3), Contains("dead letter 1 attempts_exhausted"));
}

TEST(sender_lost_children, a_message_that_a_later_one_refused_is_no_suspect) {
  auto options = one_attempt();
  options.max_attempts = 2;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.lost(1);
  sender.child_started();
  sender.nack(1); // the first attempt
  EXPECT_THAT(sender.wake_after(milliseconds{10}), Contains("hand over 1"));
  EXPECT_THAT(sender.lost(2), Not(Contains(StartsWith("dead letter"))));
}

TEST(sender_lost_children, in_strict_order_the_messages_go_one_after_the_other) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.lost(1), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

// -- held errors ------------------------------------------------------------------------

TEST(sender_lost_children, nobody_knows_whether_a_lost_one_survived_its_error) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 5); // it would reject the message
  EXPECT_THAT(sender.lost(1), ElementsAre("start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_lost_children, a_withdrawn_one_meant_its_error) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 5);
  EXPECT_THAT(sender.withdrawn(1), ElementsAre("dead letter 1 rejected", "start child 2"));
}

TEST(sender_lost_children, a_message_that_a_lost_one_answered_need_not_go_alone) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 5);
  sender.lost(1);
  sender.submit();
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "hand over 2"));
}

TEST(sender_lost_children, an_error_of_the_line_is_no_answer) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 5, /*is_bounce=*/true);
  sender.lost(1);
  sender.submit();
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1")) << "it goes alone";
}

TEST(sender_lost_children, the_service_is_left_alone_as_long_as_a_lost_one_said) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.error(1, 5, false, Decision::retry_as({}, seconds{2}));
  EXPECT_THAT(sender.lost(1), Contains("wake at 2s"));
}

// -- told to end ------------------------------------------------------------------------

TEST(sender_lost_children, one_that_hung_is_charged_with_that) {
  auto options = one_attempt();
  options.ack_timeout = milliseconds{100};
  PoolDriver sender{1, options};
  sender.submit();
  ASSERT_THAT(sender.wake_after(milliseconds{100}), Contains("tell to end 1"));
  EXPECT_THAT(sender.lost(1), Contains("dead letter 1 attempts_exhausted"));
  EXPECT_EQ(sender.engine->status(sender.now).counters.crashes, 0U);
}

TEST(sender_lost_children, what_one_that_hung_only_held_goes_alone) {
  EngineOptions options;
  options.ack_timeout = milliseconds{100};
  options.pool.kinds = {{{2, 2}, 2}};
  PoolDriver sender{2, options};
  for (int i = 0; i < 4; ++i)
    sender.submit(); // 1 and 3 to the first, 2 and 4 to the second
  sender.wake_after(milliseconds{50});
  sender.ack(2);
  ASSERT_THAT(sender.wake_after(milliseconds{50}), Contains("tell to end 1"));
  EXPECT_THAT(sender.lost(1), Not(Contains(StartsWith("hand over")))) << "4 is still there";
  EXPECT_THAT(sender.ack(4), ElementsAre("acknowledge 4", "hand over 3 to 2"));
}

TEST(sender_lost_children, a_cancelled_message_ends_with_one) {
  EngineDriver sender{one_attempt()};
  sender.start();
  sender.submit();
  sender.submit();
  sender.cancel(1);
  EXPECT_THAT(sender.lost(1), ElementsAre("cancelled 1", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 2"));
}

// -- beside other promises --------------------------------------------------------------

// The count of hand-overs is that of the sender's own process, which lives.
TEST(sender_lost_children, no_child_has_what_a_lost_one_held) {
  EngineDriver sender{{.persist = true, .max_hand_overs = 2}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});
  EXPECT_THAT(sender.lost(1), ElementsAre("give back 1", "start child 2"));
}

TEST(sender_lost_children, a_sender_that_ends_waits_for_them_no_longer) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.take(input::Stop{});
  EXPECT_THAT(sender.lost(1), ElementsAre("dead letter 1 stopped"));
  EXPECT_TRUE(sender.engine->has_ended());
}

TEST(sender_lost_children, are_not_made_again_by_a_sender_that_finishes) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});
  sender.take(input::Finish{});
  EXPECT_THAT(sender.lost(1), ElementsAre("suspend 1"));
  EXPECT_TRUE(sender.engine->has_ended());
}

} // namespace

} // namespace backoff_actor::engine_test
