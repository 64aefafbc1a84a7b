#include "faulty_fixture.hpp"

#include <cstdint>
#include <stdexcept>
#include <thread>

namespace backoff_actor::kit_test {

namespace {

class FaultyChildren : public FaultyTest {};

TEST_F(FaultyChildren, follow_one_plan_one_after_the_other_until_all_is_done) {
  auto options = default_options();
  options.ack_timeout = 1s;
  const Faults faults{"crash, hang, error(503, retry_after 2s), slow 500ms"};
  start_with(faulty_children(workers(), faults), options);

  const auto a = SenderTest::ask("a");
  time.advance(1h);

  EXPECT_EQ(a->value, "a!");
  EXPECT_EQ(faults.taken(), 4U);
  EXPECT_EQ(log.count<event::ChildDown>(), 2U);
  EXPECT_EQ(log.count<event::AckTimedOut>(), 1U);
  EXPECT_EQ(log.count<event::Refused>(), 1U);
  EXPECT_EQ(*alive, 1);
}

TEST_F(FaultyChildren, whose_worker_crashes_by_itself_are_seen_to_crash_and_not_to_answer) {
  auto options = default_options();
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  start_with(faulty_children(workers(), {}), options);

  const auto poison = SenderTest::ask("crash");
  const auto next = SenderTest::ask("b");
  time.advance(1h);

  EXPECT_TRUE(poison->error);
  EXPECT_EQ(next->value, "b!");
  EXPECT_EQ(log.count<event::ChildDown>(), 2U);
  ASSERT_EQ(log.count<event::DeadLettered>(), 1U);
  EXPECT_EQ(log.all<event::DeadLettered>()[0].attempts, 2U);
  EXPECT_EQ(log.all<event::DeadLettered>()[0].cause.text, "crashed by itself");
}

TEST_F(FaultyChildren, that_acknowledge_explicitly_refuse_and_reject_and_say_that_they_work) {
  auto options = by_sent();
  options.ack_timeout = 1s;
  start_with(faulty_children(child_of<LateWorker>(),
                             "nack(retry_after 2s), reject(\"bad\"), slow(3s, working 500ms)"),
             options);

  const auto a = SenderTest::ask("a");
  time.advance(1999ms);
  EXPECT_EQ(log.count<event::Refused>(), 1U);
  EXPECT_FALSE(a->is_ready());
  time.advance(1ms);
  EXPECT_THAT(text_of(a->error), ::testing::HasSubstr("bad"));
  const auto b = SenderTest::ask("b");
  time.advance(3s);

  EXPECT_EQ(b->value, "b later");
  EXPECT_EQ(log.count<event::AckTimedOut>(), 0U);
}

TEST_F(FaultyChildren, that_acknowledge_by_their_answer_say_that_they_work_and_how_far_they_are) {
  auto options = default_options();
  options.ack_timeout = 1s;
  start_with(faulty_children(workers(), "slow(3s, working 700ms, \"row 7\")"), options);

  const auto a = SenderTest::ask("a");
  time.advance(690ms);
  EXPECT_EQ(status().with_note, 0U);
  time.advance(10ms);
  EXPECT_EQ(status().with_note, 1U);
  time.advance(2300ms);

  EXPECT_EQ(a->value, "a!");
  EXPECT_EQ(log.count<event::AckTimedOut>(), 0U);
}

TEST_F(FaultyChildren, come_into_the_world_as_planned) {
  start_with(faulty_children(workers(), {}, "factory_throws, no_actor, dies_at_birth, healthy"));

  const auto a = SenderTest::ask("a");
  time.advance(1h);

  EXPECT_EQ(a->value, "a!");
  EXPECT_EQ(log.count<event::StartFailed>(), 2U);
  EXPECT_EQ(log.count<event::ChildDown>(), 1U);
  EXPECT_EQ(*alive, 1);
}

TEST_F(FaultyChildren, that_hang_neither_answer_what_was_slow_nor_say_that_they_work_on_it) {
  auto options = by_sent();
  options.ack_timeout = 1s;
  options.rare.works_on = WorksOn::many;
  options.ordering = Ordering::unordered;
  start_with(faulty_children(child_of<LateWorker>(), "slow(3s, working 600ms), hang"), options);
  SenderTest::ask("slow");
  time.advance(500ms);
  SenderTest::ask("hangs");
  time.advance(500ms);

  EXPECT_EQ(log.count<event::AckTimedOut>(), 1U) << "nothing put it off";
}

TEST(FaultyFactories, may_be_called_from_several_threads) {
  constexpr std::uint64_t calls_each = 3'000'000; // long enough for both to be at it
  const auto make =
    faulty_children([](caf::event_based_actor*) { return caf::actor{}; }, {},
                    {testing::BirthPlan::repeated(2 * calls_each, "no_actor"), "factory_throws"});
  const auto call = [&make] {
    for (std::uint64_t i = 0; i != calls_each; ++i)
      make(nullptr);
  };
  std::thread other{call};
  call();
  other.join();

  EXPECT_THROW(make(nullptr), std::runtime_error) << "each call takes a birth of its own";
}

} // namespace

} // namespace backoff_actor::kit_test
