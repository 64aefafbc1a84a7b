// The end of a supervisor that is given time: first those below it finish what is in flight.

#include "supervisor_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace backoff_actor::engine_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = SupervisorDriver::Lines;

supervisor_input::Finish within_grace(Duration grace) { return {Instant{grace}}; }

supervisor_input::Finish until_told(Instant deadline) { return {deadline, false}; }

// A supervisor of workers w and v and, between them, of s and t, which can finish. Each worker has
// 5 s to end when it is asked to.
class SupervisorFinish : public ::testing::Test {
protected:
  void start(const std::vector<std::string>& ids = {"w", "s", "t", "v"},
             SupervisorEngineOptions options = {},
             const ChildOptions& child = SupervisorDriver::plain()) {
    sup.emplace(ids, std::move(options), child);
    sup->can_finish = {"s", "t"};
    sup->take_and_make(supervisor_input::Start{});
  }

  Lines finished(const std::string& id) {
    return sup->take(supervisor_input::ChildFinished{sup->actor(id)});
  }

  Lines down(const std::string& id) {
    return sup->take(
      supervisor_input::ChildDown{sup->actor(id), Ending::shutdown, {}, Directive::restart});
  }

  Lines crash(const std::string& id) {
    return sup->take(SupervisorDriver::crash_of(sup->actor(id)));
  }

  Lines wake_at(Duration time) {
    sup->now = Instant{time};
    return sup->take(supervisor_input::Wake{});
  }

  SupervisorPhase phase() const { return sup->engine.phase(); }

  std::optional<SupervisorDriver> sup;
};

// -- in order -------------------------------------------------------------------------

TEST_F(SupervisorFinish, lets_all_finish_at_the_same_time_and_then_ends_them_in_reverse_order) {
  start();
  EXPECT_THAT(sup->take(within_grace(30s)),
              ElementsAre("finish s1 by 30s", "finish t1 by 30s", "wake at 30s"));
  EXPECT_EQ(phase(), SupervisorPhase::finishing);
  EXPECT_THAT(finished("s"), IsEmpty());
  EXPECT_THAT(finished("s"), IsEmpty()) << "the second time";
  EXPECT_THAT(finished("t"), ElementsAre("begin to stop", "tell to end v1"));
  EXPECT_EQ(phase(), SupervisorPhase::stopping);
  EXPECT_THAT(down("v"), ElementsAre("tell to end t1, by the deadline", "wake at 35s"));
  EXPECT_THAT(down("t"), ElementsAre("tell to end s1, by the deadline"));
  EXPECT_THAT(down("s"), ElementsAre("tell to end w1", "wake at 30s"));
  EXPECT_THAT(down("w"), ElementsAre("quit"));
}

TEST_F(SupervisorFinish, without_children_that_can_finish_ends_them_by_the_deadline) {
  start({"a", "b"});
  EXPECT_THAT(sup->take(within_grace(30s)),
              ElementsAre("begin to stop", "tell to end b1", "wake at 30s"));
  EXPECT_THAT(wake_at(5s), IsEmpty()) << "b has more time than its options say";
  EXPECT_THAT(wake_at(30s), ElementsAre("kill b1", "wake at 35s"));
  EXPECT_THAT(down("b"), ElementsAre("kill a1"));
}

TEST_F(SupervisorFinish, of_a_dynamic_supervisor_ends_all_children_together) {
  start({}, {.is_dynamic = true});
  sup->take_and_make(supervisor_input::StartChild{1, sup->entry("s")});
  sup->take_and_make(supervisor_input::StartChild{2, sup->entry("a")});
  EXPECT_THAT(sup->take(within_grace(30s)), ElementsAre("finish s1 by 30s", "wake at 30s"));
  EXPECT_THAT(finished("s"),
              ElementsAre("begin to stop", "tell to end s1, by the deadline", "tell to end a1"));
}

TEST_F(SupervisorFinish, kills_a_child_at_once_whose_options_say_so) {
  auto child = SupervisorDriver::plain();
  child.shutdown = Shutdown::at_once();
  start({"s", "a"}, {}, child);
  EXPECT_THAT(sup->take(within_grace(30s)), ElementsAre("finish s1 by 30s", "wake at 30s"));
  EXPECT_THAT(finished("s"), ElementsAre("begin to stop", "kill a1", "wake at 5s"));
  EXPECT_THAT(down("a"), ElementsAre("kill s1"));
}

// -- nothing new ----------------------------------------------------------------------

TEST_F(SupervisorFinish, starts_and_restarts_nothing) {
  start();
  sup->take(supervisor_input::TerminateChild{1, "v"});
  down("v");
  ASSERT_THAT(crash("w"), ElementsAre("wake at 1s"));
  EXPECT_THAT(sup->take(within_grace(30s)),
              ElementsAre("finish s1 by 30s", "finish t1 by 30s", "wake at 30s"))
    << "the restart of w was called off";
  EXPECT_THAT(crash("s"), IsEmpty());
  EXPECT_EQ(sup->status("s").state, ChildState::stopped);
  EXPECT_THAT(sup->take(supervisor_input::StartChild{2, sup->entry("n")}),
              ElementsAre("answer 2 stopping"));
  EXPECT_THAT(sup->take(supervisor_input::RestartChild{3, "v"}), ElementsAre("answer 3 stopping"));
  EXPECT_THAT(finished("t"),
              ElementsAre("begin to stop", "tell to end t1, by the deadline", "wake at 35s"));
}

TEST_F(SupervisorFinish, calls_off_a_start_that_takes_its_time) {
  start({"a"});
  sup->take(supervisor_input::StartChild{1, sup->entry("b")}); // whose factory is asynchronous
  sup->take_and_make(supervisor_input::StartChild{2, sup->entry("s")});
  EXPECT_THAT(sup->take(within_grace(30s)),
              ElementsAre("answer 1 stopping", "tell to end b1", "finish s1 by 30s", "wake at 5s"));
}

TEST_F(SupervisorFinish, also_tells_a_child_that_is_not_up_yet) {
  auto child = SupervisorDriver::plain();
  child.readiness = Readiness::when_it_is_up;
  start({"s"}, {}, child);
  EXPECT_THAT(sup->take(within_grace(30s)), ElementsAre("finish s1 by 30s", "wake at 30s"));
  EXPECT_THAT(sup->take(supervisor_input::ChildUp{sup->actor("s")}), IsEmpty());
  EXPECT_THAT(finished("s"),
              ElementsAre("begin to stop", "tell to end s1, by the deadline", "wake at 35s"));
}

TEST_F(SupervisorFinish, gives_a_child_that_is_not_up_yet_the_time_until_the_deadline) {
  auto child = SupervisorDriver::plain();
  child.readiness = Readiness::when_it_is_up;
  child.start_timeout = 3s;
  start({"s"}, {}, child);
  ASSERT_EQ(sup->status("s").state, ChildState::starting);
  EXPECT_THAT(sup->take(within_grace(30s)), ElementsAre("finish s1 by 30s", "wake at 30s"));
  EXPECT_THAT(wake_at(3s), IsEmpty()) << "its start timeout";
  EXPECT_THAT(finished("s"),
              ElementsAre("begin to stop", "tell to end s1, by the deadline", "wake at 35s"));
}

TEST_F(SupervisorFinish, does_not_wait_for_a_child_that_has_gone) {
  start({"s", "t"});
  sup->take(within_grace(30s));
  EXPECT_THAT(crash("s"), IsEmpty());
  EXPECT_THAT(sup->take(supervisor_input::TerminateChild{1, "t"}),
              ElementsAre("tell to end t1", "begin to stop", "wake at 5s"));
  EXPECT_THAT(down("t"), ElementsAre("answer 1 ok", "quit"));
}

// -- time -----------------------------------------------------------------------------

TEST_F(SupervisorFinish, ends_its_children_at_the_deadline_also_if_they_have_not_finished) {
  start();
  sup->take(within_grace(30s));
  finished("s");
  EXPECT_THAT(wake_at(30s - 1ns), IsEmpty());
  EXPECT_THAT(wake_at(30s), ElementsAre("begin to stop", "kill v1", "wake at 35s"));
  EXPECT_THAT(down("v"), ElementsAre("tell to end t1, by the deadline"));
  EXPECT_THAT(down("t"), ElementsAre("tell to end s1, by the deadline"));
  EXPECT_THAT(down("s"), ElementsAre("kill w1"));
}

TEST_F(SupervisorFinish, keeps_the_order_until_a_child_does_not_even_end_when_it_is_killed) {
  start({"a", "s", "b", "c"});
  sup->take(within_grace(30s));
  ASSERT_THAT(wake_at(30s), ElementsAre("begin to stop", "kill c1", "wake at 35s"));
  EXPECT_THAT(wake_at(35s), ElementsAre("abandon c1", "kill b1", "tell to end s1, by the deadline",
                                        "kill a1", "wake at 40s"));
  EXPECT_THAT(down("s"), IsEmpty());
  EXPECT_THAT(wake_at(40s), ElementsAre("abandon a1", "abandon b1", "quit"));
}

TEST_F(SupervisorFinish, kills_a_child_that_does_not_see_to_its_own_end) {
  start({"s"});
  sup->take(within_grace(30s));
  ASSERT_THAT(wake_at(30s),
              ElementsAre("begin to stop", "tell to end s1, by the deadline", "wake at 35s"));
  EXPECT_THAT(wake_at(35s), ElementsAre("wake at 45s"));
  EXPECT_THAT(wake_at(45s), ElementsAre("kill s1", "wake at 50s"));
  EXPECT_THAT(wake_at(50s), ElementsAre("abandon s1", "quit"));
}

TEST_F(SupervisorFinish, goes_by_the_earliest_deadline_and_hands_it_down) {
  start({"s", "a"});
  sup->take(within_grace(30s));
  EXPECT_THAT(sup->take(within_grace(40s)), IsEmpty());
  EXPECT_THAT(sup->take(within_grace(20s)), ElementsAre("finish s1 by 20s", "wake at 20s"));
  ASSERT_THAT(finished("s"), ElementsAre("begin to stop", "tell to end a1"));
  EXPECT_THAT(sup->take(within_grace(10s)), ElementsAre("finish s1 by 10s", "wake at 10s"));
  EXPECT_THAT(wake_at(10s), ElementsAre("kill a1", "wake at 15s"));
}

TEST_F(SupervisorFinish, has_no_limit_without_a_deadline) {
  start({"s", "a"});
  EXPECT_THAT(sup->take(supervisor_input::Finish{}), ElementsAre("finish s1"));
  EXPECT_THAT(finished("s"), ElementsAre("begin to stop", "tell to end a1"));
  EXPECT_THAT(wake_at(10000h), IsEmpty());
}

TEST_F(SupervisorFinish, limits_a_child_that_was_ending_before) {
  auto child = SupervisorDriver::plain();
  child.shutdown = Shutdown::wait();
  start({"a"}, {}, child);
  ASSERT_THAT(sup->take(supervisor_input::TerminateChild{1, "a"}), ElementsAre("tell to end a1"));
  EXPECT_THAT(sup->take(within_grace(30s)), ElementsAre("begin to stop", "wake at 30s"));
  EXPECT_THAT(wake_at(30s), ElementsAre("kill a1", "wake at 35s"));
}

// -- with a stop ----------------------------------------------------------------------

TEST_F(SupervisorFinish, is_cut_short_by_a_stop) {
  start();
  sup->take(within_grace(30s));
  EXPECT_THAT(sup->take(supervisor_input::Stop{}),
              ElementsAre("begin to stop", "tell to end v1", "wake at 5s"));
  EXPECT_THAT(down("v"), ElementsAre("tell to end t1"));
}

TEST_F(SupervisorFinish, gives_the_children_that_are_ending_no_more_time_than_a_stop_does) {
  start({"a", "s"}, {.is_dynamic = true});
  sup->take(within_grace(30s));
  ASSERT_THAT(finished("s"),
              ElementsAre("begin to stop", "tell to end a1", "tell to end s1, by the deadline"));
  EXPECT_THAT(sup->take(supervisor_input::Stop{}), ElementsAre("tell to end s1", "wake at 5s"));
  EXPECT_THAT(sup->take(supervisor_input::Stop{}), IsEmpty()) << "the second time";
  EXPECT_THAT(wake_at(5s), ElementsAre("kill a1", "kill s1", "wake at 10s"));
}

TEST_F(SupervisorFinish, after_a_stop_only_ends_the_children_earlier) {
  start({"s", "a"});
  ASSERT_THAT(sup->take(supervisor_input::Stop{}),
              ElementsAre("begin to stop", "tell to end a1", "wake at 5s"));
  EXPECT_THAT(sup->take(within_grace(2s)), ElementsAre("finish s1 by 2s", "wake at 2s"));
  EXPECT_EQ(phase(), SupervisorPhase::stopping);
  EXPECT_THAT(wake_at(2s), ElementsAre("kill a1", "wake at 7s"));
}

TEST_F(SupervisorFinish, without_a_limit_after_a_stop_still_asks_the_children_what_becomes_of_it) {
  start({"s", "a"});
  sup->take(supervisor_input::Stop{});
  EXPECT_THAT(sup->take(supervisor_input::Finish{}), ElementsAre("finish s1"));
  EXPECT_THAT(sup->take(supervisor_input::Finish{}), IsEmpty()) << "the second time";
  EXPECT_THAT(wake_at(5s), ElementsAre("kill a1", "wake at 10s")) << "its own time is unchanged";
}

// -- until it is told -----------------------------------------------------------------

TEST_F(SupervisorFinish, reports_that_all_have_finished_and_waits_for_its_turn) {
  start({"s", "a"});
  EXPECT_THAT(sup->take(until_told(Instant{30s})), ElementsAre("finish s1 by 30s"));
  EXPECT_THAT(finished("s"), ElementsAre("finished"));
  EXPECT_THAT(finished("s"), IsEmpty());
  EXPECT_THAT(wake_at(31s), IsEmpty());
  EXPECT_EQ(phase(), SupervisorPhase::finishing);
  EXPECT_THAT(sup->take(supervisor_input::Stop{.keeps_grace = true}),
              ElementsAre("begin to stop", "kill a1", "wake at 35s"));
}

TEST_F(SupervisorFinish, gives_its_children_the_time_until_the_deadline_when_its_turn_has_come) {
  start({"s", "a"});
  sup->take(until_told(Instant{30s}));
  finished("s");
  EXPECT_THAT(sup->take(supervisor_input::Stop{.keeps_grace = true}),
              ElementsAre("begin to stop", "tell to end a1", "wake at 30s"));
  EXPECT_THAT(down("a"), ElementsAre("tell to end s1, by the deadline", "wake at 35s"));
}

} // namespace
} // namespace backoff_actor::engine_test
