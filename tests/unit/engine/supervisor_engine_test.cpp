#include "supervisor_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace backoff_actor::engine_test {
namespace {

using namespace std::chrono_literals;
using supervisor_input::ChildMade;
using supervisor_input::Start;
using supervisor_input::Stop;
using supervisor_input::Wake;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> many(std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back("c" + std::to_string(i) + "-");
  return ids;
}

std::size_t starts_in(const SupervisorDriver::Lines& lines) {
  return static_cast<std::size_t>(std::count_if(
    lines.begin(), lines.end(), [](const auto& line) { return line.substr(0, 6) == "start "; }));
}

TEST(SupervisorEngineTest, does_nothing_before_it_starts) {
  SupervisorDriver driver{{"a"}};
  EXPECT_THAT(driver.take(Wake{}), IsEmpty());
  EXPECT_THAT(driver.take(Stop{}), IsEmpty());
  EXPECT_THAT(driver.take(Start{}), ElementsAre("start a1"));
  EXPECT_THAT(driver.take(Start{}), IsEmpty());
}

TEST(SupervisorEngineTest, starts_the_next_when_the_one_before_is_up) {
  SupervisorDriver driver{{"a", "b"}};
  EXPECT_THAT(driver.take(Start{}), ElementsAre("start a1"));
  EXPECT_THAT(driver.take(ChildMade{driver.actor("a")}), ElementsAre("start b1"));
  EXPECT_THAT(driver.take(ChildMade{driver.actor("b")}), ElementsAre("started"));
}

TEST(SupervisorEngineTest, starts_a_bounded_number_on_one_wake_up) {
  SupervisorDriver driver{many(600)};
  EXPECT_EQ(starts_in(driver.take_and_make(Start{})), 256u);
  EXPECT_EQ(starts_in(driver.take_and_make(Wake{})), 256u);
  EXPECT_EQ(starts_in(driver.take_and_make(Wake{})), 88u);
  EXPECT_EQ(driver.engine.phase(), SupervisorPhase::running);
}

TEST(SupervisorEngineTest, restarts_a_bounded_number_on_one_wake_up_the_longest_due_first) {
  auto child = SupervisorDriver::plain();
  child.backoff = Fixed{1s};
  SupervisorDriver driver{many(300), {}, child};
  driver.take_and_make(Start{});
  driver.take_and_make(Wake{});
  for (auto i = 299; i >= 0; --i) {
    driver.take(SupervisorDriver::crash_of(driver.actor("c" + std::to_string(i) + "-")));
    driver.now = driver.now + 1ns;
  }
  driver.now = driver.now + 1s;
  const auto first = driver.take_and_make(Wake{});
  EXPECT_EQ(starts_in(first), 256u);
  EXPECT_EQ(first[0], "start c299-2");
  EXPECT_EQ(first.back(), "wake at " + to_string(driver.now.since_origin));
  EXPECT_EQ(starts_in(driver.take_and_make(Wake{})), 44u);
}

TEST(SupervisorEngineTest, asks_for_one_wake_up_whatever_is_due) {
  SupervisorDriver driver{{"a", "b", "c"}};
  driver.take_and_make(Start{});
  EXPECT_THAT(driver.take(SupervisorDriver::crash_of(driver.actor("a"))),
              ElementsAre("wake at 1s"));
  driver.now = driver.now + 100ms;
  EXPECT_THAT(driver.take(SupervisorDriver::crash_of(driver.actor("b"))), IsEmpty());
  EXPECT_THAT(driver.take(Wake{}), IsEmpty()) << "an early one is harmless";
  driver.now = driver.now + 900ms;
  EXPECT_THAT(driver.take(Wake{}), ElementsAre("start a2", "wake at 1.1s"));
}

TEST(SupervisorEngineTest, knows_news_of_an_earlier_actor_as_stale) {
  SupervisorDriver driver{{"a"}};
  driver.take_and_make(Start{});
  const auto first = driver.actor("a");
  driver.take(SupervisorDriver::crash_of(first));
  driver.now = driver.now + 1s;
  driver.take_and_make(Wake{});
  EXPECT_THAT(driver.take(SupervisorDriver::crash_of(first)), IsEmpty());
  EXPECT_EQ(driver.status("a").state, ChildState::running);
}

TEST(SupervisorEngineTest, gives_the_place_of_a_child_that_is_gone_to_another_under_another_name) {
  SupervisorDriver driver{{"a"}};
  driver.take_and_make(Start{});
  const auto old = driver.actor("a");
  driver.take(supervisor_input::TerminateChild{1, "a"});
  driver.take(supervisor_input::ChildDown{old, Ending::shutdown, {}, Directive::restart});
  EXPECT_THAT(driver.take(supervisor_input::DeleteChild{2, "a"}),
              ElementsAre("answer 2 ok", "forget 1"));
  driver.take_and_make(supervisor_input::StartChild{3, driver.entry("b")});
  EXPECT_EQ(driver.actor("b").child.slot, old.child.slot);
  EXPECT_THAT(driver.take(SupervisorDriver::crash_of(old)), IsEmpty());
}

TEST(SupervisorEngineTest, the_same_inputs_give_the_same_effects) {
  const auto run = [] {
    SupervisorEngineOptions options;
    options.seed = 7;
    SupervisorDriver driver{{"a", "b"}, options, ChildOptions{}};
    auto lines = driver.take_and_make(Start{});
    for (const std::string id : {"a", "b"})
      for (const auto& line : driver.take(SupervisorDriver::crash_of(driver.actor(id))))
        lines.push_back(line);
    return lines;
  };
  EXPECT_EQ(run(), run());
}

TEST(SupervisorEngineTest, an_exception_of_the_hook_costs_nothing_and_is_reported) {
  SupervisorEngineOptions options;
  options.on_event = [](const SupervisorEvent&) { throw 1; };
  SupervisorDriver driver{{"a"}, options};
  const auto report = "hook failed: an exception of unknown type";
  EXPECT_THAT(driver.take_and_make(Start{}),
              UnorderedElementsAre("start a1", report, "started", report));
}

TEST(SupervisorEngineTest, ends_a_group_one_by_one_from_the_last) {
  SupervisorEngineOptions options;
  options.strategy = Strategy::one_for_all;
  SupervisorDriver driver{{"a", "b", "c"}, options};
  driver.take_and_make(Start{});
  const auto told = [&](const std::string& id) {
    return driver.take(
      supervisor_input::ChildDown{driver.actor(id), Ending::shutdown, {}, Directive::restart});
  };
  EXPECT_THAT(driver.take(SupervisorDriver::crash_of(driver.actor("b"))),
              ElementsAre("tell to end c1", "wake at 5s"));
  EXPECT_THAT(told("c"), ElementsAre("tell to end a1"));
  EXPECT_THAT(told("a"), ElementsAre("wake at 1s"));
  driver.now = driver.now + 1s;
  EXPECT_THAT(driver.take_and_make(Wake{}), ElementsAre("start a2", "start b2", "start c2"));
}

TEST(SupervisorEngineTest, waits_in_the_end_of_a_group_for_a_child_that_is_taken_out_of_it) {
  SupervisorEngineOptions options;
  options.strategy = Strategy::one_for_all;
  SupervisorDriver supervisor{{"a", "b", "c"}, options};
  supervisor.take_and_make(supervisor_input::Start{});
  EXPECT_THAT(supervisor.take(SupervisorDriver::crash_of(supervisor.actor("a"))),
              ::testing::Contains("tell to end c1"));

  EXPECT_THAT(supervisor.take(supervisor_input::TerminateChild{7, "c"}), ::testing::IsEmpty());
  EXPECT_THAT(supervisor.take(supervisor_input::ChildDown{
                supervisor.actor("c"), Ending::shutdown, {}, Directive::restart}),
              ElementsAre("answer 7 ok", "tell to end b1"));
  EXPECT_EQ(supervisor.status("c").state, ChildState::stopped);
}

} // namespace
} // namespace backoff_actor::engine_test
