// How many workers a pool has: it grows and shrinks, by itself and by hand.

#include "pool_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor {

using engine_test::EngineDriver;
using engine_test::pool_options;
using engine_test::PoolDriver;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

EngineOptions growing() {
  auto options = pool_options({{{1, 3}, 1}});
  options.pool.scaling = {2, seconds{1}, seconds{10}};
  return options;
}

TEST(sender_pool_size, adds_a_worker_when_more_wait_for_each_for_some_time) {
  PoolDriver sender{1, growing()};
  for (int i = 0; i < 3; ++i)
    sender.submit();
  EXPECT_EQ(sender.pool().ready, 2U);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4", "wake at 1s")) << "three wait for one";
  EXPECT_THAT(sender.wake_after(milliseconds{999}), Not(Contains(StartsWith("start child"))));
  EXPECT_THAT(sender.wake_after(milliseconds{1}), Contains("start child 2"));
}

TEST(sender_pool_size, begins_to_count_the_time_anew_when_the_backlog_is_short_meanwhile) {
  PoolDriver sender{1, growing()};
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.wake_after(milliseconds{900});
  sender.ack(1);
  sender.submit();
  EXPECT_THAT(sender.wake_after(milliseconds{999}), Not(Contains(StartsWith("start child"))));
  EXPECT_THAT(sender.wake_after(milliseconds{1}), Contains("start child 2"));
}

TEST(sender_pool_size, adds_no_worker_while_one_waits_in_its_delay) {
  auto options = growing();
  options.pool.kinds.front().workers.least = 2;
  PoolDriver sender{2, options};
  sender.take(input::Pause{});
  for (int i = 0; i < 9; ++i)
    sender.submit();
  sender.take(input::Resume{});
  for (int i = 0; i < 6; ++i) // up to 630 ms
    sender.fail(1);
  sender.crash_of(sender.pool().workers.at(0).incarnation);
  ASSERT_EQ(sender.delay_of(1), milliseconds{1270});
  EXPECT_THAT(sender.wake_after(milliseconds{1269}), Not(Contains(StartsWith("start child"))));
  EXPECT_EQ(sender.pool().workers.size(), 2U) << "nor in any of the delays before";
}

TEST(sender_pool_size, adds_no_worker_above_the_most) {
  PoolDriver sender{1, growing()};
  for (int i = 0; i < 100; ++i)
    sender.submit();
  for (int i = 0; i < 10; ++i) {
    sender.wake_after(seconds{1});
    sender.take(input::ChildStarted{sender.engine->incarnation()});
  }
  EXPECT_EQ(sender.pool().workers.size(), 3U);
}

TEST(sender_pool_size, lets_the_youngest_go_when_one_has_been_idle_all_the_time) {
  auto options = growing();
  options.pool.kinds.front().workers.least = 2;
  PoolDriver sender{2, options};
  for (int i = 0; i < 9; ++i)
    sender.submit();
  sender.wake_after(seconds{1});
  sender.take(input::ChildStarted{3});
  for (std::uint64_t i = 1; i <= 9; ++i)
    sender.ack(i);
  EXPECT_THAT(sender.wake_after(milliseconds{9999}), Not(Contains(StartsWith("ask to end"))));
  EXPECT_THAT(sender.wake_after(milliseconds{1}), Contains("ask to end 3"));
  EXPECT_THAT(sender.down(3), IsEmpty());
  EXPECT_THAT(sender.wake_after(seconds{60}), Not(Contains(StartsWith("ask to end"))))
    << "no fewer than the least";
}

TEST(sender_pool_size, starts_the_first_worker_for_the_first_message_if_there_need_be_none) {
  EngineDriver sender{pool_options({{{0, 2}, 1}})};
  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "start child 1"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_pool_size, adds_no_worker_before_it_begins) {
  auto options = pool_options({{{1, 2}, 1}});
  options.persist = true;
  EngineDriver sender{options};
  for (std::uint64_t i = 1; i <= 20; ++i)
    sender.take(input::Restore{.delivery = i});
  EXPECT_THAT(sender.wake_after(seconds{60}), Not(Contains(StartsWith("start"))));
  EXPECT_THAT(sender.take(input::Start{20}), Contains("start child 1"));
}

TEST(sender_pool_size, keeps_a_retired_worker_until_it_has_finished_what_it_holds) {
  PoolDriver sender{2};
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.take(input::RetireWorker{1}), ElementsAre("start child 3"))
    << "another takes its place";
  EXPECT_THAT(sender.states(),
              ElementsAre(WorkerState::leaving, WorkerState::serving, WorkerState::starting));
  EXPECT_THAT(sender.ack(1), Contains("ask to end 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3")) << "it is given nothing more";
  EXPECT_THAT(sender.down(1), IsEmpty());
}

TEST(sender_pool_size, hands_nothing_to_a_retired_worker_although_it_could_hold_more) {
  PoolDriver sender{2, pool_options({{{2, 2}, 2}})};
  for (int i = 0; i < 4; ++i)
    sender.submit(); // two to each
  sender.take(input::RetireWorker{1});
  sender.ack(1);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5"));
}

TEST(sender_pool_size, keeps_a_worker_that_was_to_leave_if_it_is_needed_again) {
  PoolDriver sender{2};
  sender.submit();
  sender.submit();
  sender.take(input::Resize{0, {1, 1}});
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::serving, WorkerState::leaving));
  EXPECT_THAT(sender.take(input::Resize{0, {2, 2}}), IsEmpty()) << "no child is started";
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::serving, WorkerState::serving));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2")) << "it is not asked to end";
}

TEST(sender_pool_size, shows_between_how_many_it_may_be) {
  PoolDriver sender{2, pool_options({{{1, 1}, 1}, {{1, 1}, 1}})};
  sender.take(input::Resize{1, {0, 9}});
  EXPECT_THAT(sender.pool().kinds,
              ElementsAre(KindStatus{.workers = {1, 1}}, KindStatus{.workers = {0, 9}}));
}

TEST(sender_pool_size, tells_a_retired_worker_to_end_if_it_does_not) {
  EngineOptions options;
  options.kill_grace = seconds{5};
  PoolDriver sender{2, options};
  EXPECT_THAT(sender.take(input::RetireWorker{2}),
              ElementsAre("ask to end 2", "start child 3", "wake at 5s"));
  EXPECT_THAT(sender.wake_after(seconds{5}), ElementsAre("tell to end 2", "wake at 10s"));
  EXPECT_THAT(sender.wake_after(seconds{5}), Contains("abandon 2"));
}

TEST(sender_pool_size, becomes_larger_and_smaller_by_hand) {
  PoolDriver sender{2};
  EXPECT_THAT(sender.take(input::Resize{0, {4, 4}}), ElementsAre("start child 3", "start child 4"));
  sender.take(input::ChildStarted{3});
  sender.take(input::ChildStarted{4});
  sender.submit(); // to 1
  EXPECT_THAT(sender.take(input::Resize{0, {1, 1}}),
              ElementsAre("ask to end 4", "ask to end 3", "ask to end 2", "wake at 5s"))
    << "the idle ones, the youngest first";
}

TEST(sender_pool_size, becomes_smaller_by_those_that_can_be_given_nothing_then_by_idle_ones) {
  PoolDriver sender{4};
  sender.submit(); // to 1
  sender.crash_of(2);
  EXPECT_THAT(sender.take(input::Resize{0, {3, 3}}), IsEmpty()) << "the one in its delay";
  EXPECT_THAT(sender.states(),
              ElementsAre(WorkerState::serving, WorkerState::serving, WorkerState::serving));
  EXPECT_THAT(sender.take(input::Resize{0, {1, 1}}), ElementsAre("ask to end 4", "ask to end 3"));
}

// -- none at all ------------------------------------------------------------------------

TEST(sender_pool_size, lets_messages_wait_as_long_as_it_may_have_no_worker) {
  EngineDriver sender{pool_options({{{0, 0}, 1}})};
  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(sender.wake_after(std::chrono::hours{1}), IsEmpty());
  const auto status = sender.engine->status(sender.now);
  EXPECT_EQ(status.phase, Phase::starting);
  EXPECT_THAT(status.pool.workers, IsEmpty());
  EXPECT_THAT(status.pool.kinds, ElementsAre(KindStatus{.workers = {0, 0}}));
  EXPECT_EQ(sender.engine->pool_glance().held_back_by_workers, std::chrono::hours{1});
}

TEST(sender_pool_size, has_workers_of_a_kind_only_while_it_may) {
  EngineDriver sender{pool_options({{{0, 0}, 1}})};
  sender.take(input::Start{});
  sender.submit();
  EXPECT_THAT(sender.take(input::Resize{0, {2, 2}}), ElementsAre("start child 1", "start child 2"));
  EXPECT_THAT(sender.take(input::Resize{0, {0, 0}}), ElementsAre("stop child 2", "stop child 1"));
  EXPECT_THAT(sender.wake_after(std::chrono::hours{1}), IsEmpty());
  EXPECT_THAT(sender.take(input::Resize{0, {1, 1}}), ElementsAre("start child 3"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

TEST(sender_pool_size, starts_a_worker_of_the_first_kind_that_may_have_one) {
  EngineDriver sender{pool_options({{{0, 0}, 1}, {{0, 2}, 1}})};
  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "start child 1"));
  EXPECT_EQ(sender.engine->status(sender.now).pool.workers.at(0).kind, 1U);
}

TEST(sender_pool_size, adds_workers_with_the_first_message_if_it_is_to_start_then) {
  auto options = pool_options({{{0, 0}, 1}});
  options.child_start = FirstStart::on_first_use;
  EngineDriver sender{options};
  sender.take(input::Start{});
  EXPECT_THAT(sender.take(input::Resize{0, {2, 2}}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "start child 1", "start child 2"));
}

TEST(sender_pool_size, keeps_deadlines_and_drains_without_any_worker) {
  EngineDriver sender{pool_options({{{0, 0}, 1}})};
  sender.take(input::Start{});
  EXPECT_THAT(sender.submit_within(seconds{2}), ElementsAre("accept 1", "wake at 2s"));
  sender.submit();
  EXPECT_THAT(sender.take(input::Drain{7, sender.now + seconds{1}}), ElementsAre("wake at 1s"));
  EXPECT_THAT(sender.wake_after(seconds{1}), ElementsAre("drained 7, 2 left", "wake at 2s"));
  EXPECT_THAT(sender.wake_after(seconds{1}), ElementsAre("dead letter 1 expired"));
  sender.take(input::Drain{8});
  EXPECT_THAT(sender.cancel(2), ElementsAre("cancelled 2", "drained 8, 0 left"));
}

TEST(sender_pool_size, ends_at_once_without_any_worker) {
  EngineDriver sender{pool_options({{{0, 0}, 1}})};
  sender.take(input::Start{});
  sender.submit();
  EXPECT_THAT(sender.take(input::Stop{}), ElementsAre("dead letter 1 stopped"));
  EXPECT_TRUE(sender.engine->has_ended());
}

TEST(sender_pool_size, finishes_at_once_without_any_worker) {
  EngineDriver sender{pool_options({{{0, 0}, 1}})};
  sender.take(input::Start{});
  sender.submit();
  EXPECT_THAT(sender.take(input::Finish{}), ElementsAre("dead letter 1 stopped"));
  EXPECT_TRUE(sender.engine->has_ended());
}

// -- workers of another process ---------------------------------------------------------

// One worker of its own, number 1, and three of two other processes. The second process has worker
// 4. Workers 1 and 2 hold one message each.
class PoolWithOthers : public EngineDriver {
public:
  PoolWithOthers() : EngineDriver(pool_options({{{1, 1}, 1}, {{0, 0}, 1}})) {
    take(input::Start{});
    take(input::Resize{1, {3, 3}});
    for (std::uint32_t i = 1; i <= 4; ++i)
      take(input::ChildStarted{i});
    submit();
    submit();
  }

  std::vector<std::uint32_t> workers() const {
    std::vector<std::uint32_t> result;
    for (const auto& x : engine->status(now).pool.workers)
      result.push_back(x.number);
    return result;
  }
};

TEST(sender_pool_size, loses_the_workers_of_a_process_that_were_taken_out_before) {
  PoolWithOthers sender;
  EXPECT_THAT(sender.take(input::Resize{1, {1, 3}}), ElementsAre("wake at 30s"));
  EXPECT_THAT(sender.take(input::RetireWorker{2}), IsEmpty()) << "it is busy";
  EXPECT_THAT(sender.take(input::RetireWorker{3}), ElementsAre("ask to end 3", "wake at 5s"))
    << "no other takes its place";
  EXPECT_THAT(sender.take(input::Resize{1, {1, 1}}), IsEmpty());
  EXPECT_THAT(sender.lost(2), ElementsAre("hand over 2")) << "to the other process";
  EXPECT_THAT(sender.lost(3), IsEmpty());
  EXPECT_THAT(sender.workers(), ElementsAre(1U, 4U));
}

TEST(sender_pool_size, loses_the_workers_of_a_process_before_they_are_taken_out) {
  PoolWithOthers sender;
  EXPECT_THAT(sender.withdrawn(2), ElementsAre("start child 5", "hand over 2 to 3"));
  EXPECT_THAT(sender.withdrawn(3), ElementsAre("start child 6", "hand over 2 to 4"));
  EXPECT_THAT(sender.take(input::Resize{1, {1, 3}}), IsEmpty());
  EXPECT_THAT(sender.take(input::RetireWorker{2}), ElementsAre("stop child 5"));
  EXPECT_THAT(sender.take(input::RetireWorker{3}), ElementsAre("stop child 6"));
  EXPECT_THAT(sender.take(input::Resize{1, {1, 1}}), IsEmpty());
  EXPECT_THAT(sender.workers(), ElementsAre(1U, 4U));
}

TEST(sender_pool_size, loses_the_last_process_while_messages_wait) {
  EngineDriver sender{pool_options({{{0, 0}, 1}})};
  sender.take(input::Start{});
  sender.take(input::Resize{0, {1, 1}});
  sender.child_started();
  sender.submit();
  sender.submit();
  sender.take(input::Resize{0, {0, 1}});
  EXPECT_THAT(sender.take(input::RetireWorker{1}), ElementsAre("wake at 0ns"));
  EXPECT_THAT(sender.take(input::Resize{0, {0, 0}}), IsEmpty());
  EXPECT_THAT(sender.wake_after(seconds{0}), IsEmpty());
  EXPECT_THAT(sender.lost(1), IsEmpty());
  EXPECT_EQ(sender.engine->owed(), 2U);
}

TEST(sender_pool_size, gets_another_worker_after_the_last_was_retired_if_it_may_have_one) {
  PoolDriver sender{1, pool_options({{{0, 1}, 1}})};
  sender.submit();
  sender.take(input::ChildStarted{1});
  EXPECT_THAT(sender.take(input::RetireWorker{1}), ElementsAre("wake at 0ns"));
  EXPECT_THAT(sender.wake_after(seconds{0}), Contains("start child 2"));
}

TEST(sender_pool_size, uses_the_numbers_of_workers_that_have_left_again) {
  PoolDriver sender{2};
  sender.take(input::Resize{0, {1, 1}});
  sender.down(2);
  sender.take(input::Resize{0, {2, 2}});
  EXPECT_EQ(sender.pool().workers.at(1).number, 2U);
}

} // namespace

} // namespace backoff_actor
