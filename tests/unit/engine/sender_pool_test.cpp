// A pool: workers that share one outbox.

#include "pool_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace backoff_actor {

using engine_test::EngineDriver;
using engine_test::Lines;
using engine_test::pool_options;
using engine_test::PoolDriver;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

// One worker that holds so many.
EngineOptions with_window(std::uint32_t window, EngineOptions options) {
  options.pool.kinds = {{{1, 1}, window}};
  return options;
}

// -- who gets the next ------------------------------------------------------------------

TEST(sender_pool, starts_as_many_workers_as_there_are_to_be_at_the_least) {
  EngineDriver sender{pool_options({{{3, 5}, 1}})};
  EXPECT_THAT(sender.take(input::Start{}),
              ElementsAre("start child 1", "start child 2", "start child 3"));
}

TEST(sender_pool, hands_each_worker_one_and_lets_the_rest_wait) {
  PoolDriver sender{2};
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1 to 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3"));
  EXPECT_EQ(sender.pool().ready, 0U);
}

TEST(sender_pool, chooses_the_worker_that_holds_the_fewest) {
  auto options = pool_options({{{2, 2}, 3}});
  PoolDriver sender{2, options};
  sender.submit(); // to 1
  sender.submit(); // to 2
  sender.submit(); // to 1
  sender.ack(1);
  sender.ack(3);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4", "hand over 4 to 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5", "hand over 5")) << "both held one";
  EXPECT_THAT(sender.submit(), ElementsAre("accept 6", "hand over 6 to 1"));
}

TEST(sender_pool, chooses_the_worker_that_has_waited_longest_among_those_that_hold_equally_many) {
  PoolDriver sender{3};
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.ack(2);
  sender.ack(1);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4", "hand over 4 to 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5", "hand over 5 to 1"));
}

TEST(sender_pool, has_one_of_a_key_in_flight_whichever_worker_is_free) {
  EngineOptions options;
  options.ordering = Ordering::per_key;
  PoolDriver sender{2, options};
  EXPECT_THAT(sender.submit_with_key(8), ElementsAre("accept 1", "hand over 1 to 1"));
  EXPECT_THAT(sender.submit_with_key(8), ElementsAre("accept 2"));
  EXPECT_THAT(sender.submit_with_key(9), ElementsAre("accept 3", "hand over 3"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 2"));
}

// -- one worker's trouble ---------------------------------------------------------------

TEST(sender_pool, lets_the_others_go_on_when_a_worker_crashes) {
  PoolDriver sender{2};
  for (int i = 0; i < 3; ++i)
    sender.submit();
  EXPECT_THAT(sender.crash_of(1), ElementsAre("start child 3", "wake at 0ns"))
    << "the message's own delay, which is drawn, is 0";
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::waiting, WorkerState::serving));
  EXPECT_THAT(sender.take(input::ChildStarted{3}), IsEmpty()) << "its delay runs";
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 3 to 2"));
}

TEST(sender_pool, gives_what_a_crashed_worker_only_held_to_another_at_once) {
  auto options = pool_options({{{2, 2}, 2}});
  PoolDriver sender{2, options};
  for (int i = 0; i < 4; ++i)
    sender.submit(); // 1 and 3 to the first, 2 and 4 to the second
  sender.ack(2);
  const auto lines = sender.crash_of(1);
  EXPECT_THAT(lines, Contains("hand over 3 to 2")) << "it was not the culprit";
  EXPECT_THAT(lines, Not(Contains(StartsWith("hand over 1"))));
}

TEST(sender_pool, draws_other_delays_for_each_worker) {
  PoolDriver sender{3};
  std::set<std::vector<Duration>> delays;
  for (std::size_t worker = 1; worker <= 3; ++worker) {
    std::vector<Duration> of_this;
    for (int i = 0; i < 5; ++i)
      of_this.push_back(sender.fail(worker));
    delays.insert(of_this);
  }
  EXPECT_EQ(delays.size(), 3U);
}

TEST(sender_pool, forgets_the_failures_of_a_worker_that_acknowledges_and_of_no_other) {
  PoolDriver sender{2};
  for (int i = 0; i < 2; ++i)
    for (std::size_t worker = 1; worker <= 2; ++worker)
      sender.fail(worker);
  const auto retries = [&](std::size_t worker) { return sender.pool().workers.at(worker).retries; };
  sender.submit();
  const std::size_t busy = sender.pool().workers.at(0).holds == 1 ? 0 : 1;
  sender.submit();
  sender.ack(1);
  EXPECT_EQ(retries(busy), 0U);
  EXPECT_EQ(retries(1 - busy), 2U);
  sender.ack(2);
  EXPECT_EQ(retries(1 - busy), 0U);
}

// With two workers and no delay of the message's own, one poison message would bring both down
// within milliseconds.
TEST(sender_pool, lets_a_poison_message_crash_as_many_workers_as_it_has_attempts) {
  EngineOptions options;
  options.max_attempts = 3;
  options.charging = Charging::every_failure();
  PoolDriver sender{2, options};
  sender.submit();
  EXPECT_THAT(sender.crash_of(1), Not(Contains(StartsWith("hand over"))))
    << "the second worker is free, and the message waits in its own delay";
  sender.take(input::ChildStarted{3});
  int crashes = 1;
  Lines lines;
  for (int round = 0; round < 100 && !::testing::Value(lines, Contains(StartsWith("dead letter")));
       ++round) {
    lines = sender.wake_after(milliseconds{10});
    if (!sender.in_flight(1))
      continue;
    for (const auto& worker : sender.pool().workers)
      if (worker.holds == 1)
        lines = sender.crash_of(worker.incarnation);
    sender.take(input::ChildStarted{sender.engine->incarnation()});
    ++crashes;
  }
  EXPECT_EQ(crashes, 3);
  EXPECT_THAT(lines, Contains("dead letter 1 attempts_exhausted"));
}

TEST(sender_pool, tells_a_worker_that_hangs_to_end_and_no_other) {
  EngineOptions options;
  options.ack_timeout = milliseconds{100};
  PoolDriver sender{2, options};
  sender.submit();
  sender.wake_after(milliseconds{60});
  sender.submit();
  EXPECT_THAT(sender.wake_after(milliseconds{40}), Contains("tell to end 1"));
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::leaving, WorkerState::serving));
  EXPECT_THAT(sender.wake_after(milliseconds{60}), Contains("tell to end 2"));
}

// Otherwise two workers would work on the same message.
TEST(sender_pool, gives_what_a_hanging_worker_holds_to_another_when_it_has_ended) {
  EngineOptions options;
  options.ack_timeout = milliseconds{100};
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  PoolDriver sender{2, options};
  sender.submit();
  EXPECT_THAT(sender.wake_after(milliseconds{100}), Contains("tell to end 1"));
  for (int i = 0; i < 49; ++i)
    EXPECT_THAT(sender.wake_after(milliseconds{100}), Not(Contains(StartsWith("hand over"))));
  EXPECT_THAT(sender.down(1), Contains(StartsWith("start child")));
  sender.wake_after(milliseconds{1});
  EXPECT_TRUE(sender.in_flight(1)) << "with the second worker";
  EXPECT_THAT(sender.crash_of(2), Contains("dead letter 1 attempts_exhausted"))
    << "the hang was its first attempt";
}

TEST(sender_pool, gives_what_a_hanging_worker_holds_to_another_when_it_is_abandoned) {
  EngineOptions options;
  options.ack_timeout = milliseconds{100};
  options.kill_grace = seconds{1};
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  PoolDriver sender{2, options};
  sender.submit();
  sender.wake_after(milliseconds{100});
  EXPECT_THAT(sender.wake_after(milliseconds{999}), Not(Contains("abandon 1")));
  EXPECT_THAT(sender.wake_after(milliseconds{1}),
              AllOf(Contains("abandon 1"), Contains("dead letter 1 attempts_exhausted")));
}

TEST(sender_pool, charges_nobody_with_a_hang_if_the_answer_comes_late) {
  EngineOptions options;
  options.ack_timeout = milliseconds{100};
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  PoolDriver sender{1, with_window(2, options)};
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.wake_after(milliseconds{100}), Contains("tell to end 1"));
  EXPECT_THAT(sender.ack(1), Contains("acknowledge 1"));
  EXPECT_THAT(sender.down(1), Not(Contains(StartsWith("dead letter"))));
}

// When the process ended, children had several messages. Nobody knows which of them ended it.
TEST(sender_pool, lets_messages_that_may_end_the_process_go_alone_in_the_pool) {
  EngineOptions options;
  options.persist = true;
  options.max_hand_overs = 2;
  PoolDriver sender{3, options};
  for (std::uint64_t i = 1; i <= 3; ++i) {
    input::Restore left{};
    left.delivery = i;
    left.hand_overs = i == 3 ? 0 : 1;
    sender.take(left);
  }
  EXPECT_TRUE(sender.in_flight(1));
  EXPECT_FALSE(sender.in_flight(2)) << "it may end the process, too";
  EXPECT_FALSE(sender.in_flight(3)) << "it would be charged with the end";
  sender.ack(1);
  EXPECT_TRUE(sender.in_flight(2));
  EXPECT_FALSE(sender.in_flight(3));
  sender.ack(2);
  EXPECT_TRUE(sender.in_flight(3));
}

TEST(sender_pool, takes_a_normal_stop_of_an_idle_worker_for_no_failure_while_others_work) {
  PoolDriver sender{2};
  sender.submit(); // to 1
  sender.take(input::ChildDown{2, {}});
  EXPECT_THAT(sender.states(), ElementsAre(WorkerState::serving, WorkerState::resting));
  EXPECT_EQ(sender.engine->status(sender.now).counters.crashes, 0U);
  EXPECT_THAT(sender.submit(), Contains("start child 3")) << "there is work for it";
}

TEST(sender_pool, counts_how_long_messages_wait_while_they_wait_and_after_its_end) {
  PoolDriver sender{1, with_window(1, {})};
  sender.submit();
  sender.submit();
  for (int i = 0; i < 3; ++i)
    sender.wake_after(seconds{1});
  EXPECT_EQ(sender.engine->pool_glance().held_back_by_workers, seconds{3});
  sender.take(input::Kill{});
  ASSERT_TRUE(sender.engine->has_ended());
  EXPECT_EQ(sender.engine->pool_glance().held_back_by_workers, seconds{3});
  EXPECT_EQ(sender.engine->pool_glance().ready, 0U);
}

TEST(sender_pool, lets_suspects_go_alone_to_one_worker_each) {
  auto options = pool_options({{{2, 2}, 2}});
  options.works_on = WorksOn::many;
  PoolDriver sender{2, options};
  sender.submit(); // to 1
  sender.submit(); // to 2
  sender.submit(); // to 1
  EXPECT_THAT(sender.crash_of(1), Not(Contains(StartsWith("hand over"))))
    << "the second worker holds one, so no suspect can be alone with it";
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 1 to 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4")) << "the suspect is to be alone";
  sender.wake_after(sender.delay_of(1));
  EXPECT_THAT(sender.take(input::ChildStarted{3}), ElementsAre("hand over 3"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5")) << "each worker holds a suspect";
}

// -- the service ------------------------------------------------------------------------

TEST(sender_pool, hands_nothing_to_any_worker_before_the_time_that_the_service_asked_for) {
  PoolDriver sender{3};
  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.nack(1, seconds{2}), Contains("wake at 10ms"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3")) << "two workers are free";
  EXPECT_EQ(sender.engine->phase(), Phase::waiting);
  EXPECT_EQ(sender.pool().kinds.at(0).held_by_service_for, seconds{2});
  EXPECT_THAT(sender.wake_after(milliseconds{1999}), Not(Contains(StartsWith("hand over"))));
  EXPECT_THAT(sender.wake_after(milliseconds{1}), Contains(StartsWith("hand over 3")));
}

TEST(sender_pool, lets_the_workers_of_another_kind_go_on_when_a_service_asks_to_be_left_alone) {
  PoolDriver sender{2, pool_options({{{1, 1}, 1}, {{1, 1}, 1}})};
  sender.submit();
  sender.nack(1, seconds{2});
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_pool, ends_the_hold_of_a_service_by_hand) {
  PoolDriver sender{2};
  sender.submit();
  sender.nack(1, seconds{2});
  sender.submit();
  EXPECT_THAT(sender.take(input::RetryNow{}), Contains(StartsWith("hand over 2")));
}

// -- limits -----------------------------------------------------------------------------

TEST(sender_pool, does_not_give_up_for_the_unlucky_worker) {
  EngineOptions options;
  options.restart_limit = RestartLimit{1, std::chrono::hours{1}};
  PoolDriver sender{2, options};
  for (int round = 0; round < 10; ++round) {
    sender.submit();
    EXPECT_THAT(sender.crash_of(sender.pool().workers.at(0).incarnation), Not(Contains("give up")));
    sender.take(input::ChildStarted{sender.engine->incarnation()});
    sender.wake_after(seconds{5});
  }
}

TEST(sender_pool, of_one_worker_gives_up_although_its_message_waits_and_not_the_worker) {
  EngineOptions options;
  options.backoff_by = BackoffBy::message;
  options.restart_limit = RestartLimit{1, std::chrono::hours{1}};
  PoolDriver sender{1, options};
  sender.submit();
  EXPECT_THAT(sender.crash_of(1), Not(Contains("give up")));
  sender.take(input::ChildStarted{2});
  EXPECT_THAT(sender.crash_of(2), Contains("give up"));
}

TEST(sender_pool, gives_up_when_all_workers_fail_more_often_than_each_may) {
  EngineOptions options;
  options.restart_limit = RestartLimit{1, std::chrono::hours{1}};
  PoolDriver sender{2, options};
  EXPECT_THAT(sender.crash_of(1), Not(Contains("give up")));
  EXPECT_THAT(sender.crash_of(2), Not(Contains("give up")));
  sender.wake_after(seconds{5});
  EXPECT_THAT(sender.take(input::StartFailed{sender.engine->incarnation(), {7, "no"}}),
              Contains("give up"))
    << "the third failure, where two workers may fail once each";
}

} // namespace

} // namespace backoff_actor
