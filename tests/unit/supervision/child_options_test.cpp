#include "backoff_actor/supervision/child_options.hpp"

#include "backoff_actor/supervision/strategy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace backoff_actor {
namespace {

using namespace std::chrono_literals;

TEST(ChildOptionsTest, defaults_are_right) { EXPECT_TRUE(check(ChildOptions{}).empty()); }

TEST(ChildOptionsTest, all_that_is_wrong_is_named) {
  ChildOptions options;
  options.shutdown = Shutdown::within(0ns);
  options.healthy_after = 0ns;
  options.restart_limit = RestartLimit{1'000'001, -1s};
  options.is_significant = true;
  options.start_timeout = 0ns;
  EXPECT_EQ(
    to_string(check(options)),
    "shutdown: got within 0ns, allowed 1us or more; Shutdown::at_once() kills without asking\n"
    "healthy_after: got 0ns, allowed 1us or more\n"
    "restart_limit.max_restarts: got 1000001, allowed 0..1000000\n"
    "restart_limit.within: got -1s, allowed 1us or more\n"
    "is_significant: got true, allowed only where restart is transient or temporary\n"
    "start_timeout: got 0ns, allowed 1us or more\n"
    "start_timeout: got 0ns, allowed only with Readiness::when_it_is_up");
}

TEST(ChildOptionsTest, a_child_is_healthy_after_the_longest_delay_unless_said_otherwise) {
  ChildOptions options;
  EXPECT_EQ(options.time_to_be_healthy(), 30s);
  options.healthy_after = 5min;
  EXPECT_EQ(options.time_to_be_healthy(), 5min);
}

TEST(ChildOptionsTest, giving_up_can_only_be_escalated_where_a_child_is_given_up) {
  ChildOptions options;
  options.when_given_up = GivenUp::escalate;
  EXPECT_EQ(to_string(check(options)),
            "when_given_up: got escalate, allowed only with a restart_limit of its own");
  options.restart_limit = RestartLimit{1, 1s};
  EXPECT_TRUE(check(options).empty());
}

TEST(ChildOptionsTest, ways_of_ending_are_named) {
  EXPECT_EQ(to_string(Shutdown::within(5s)), "within 5s");
  EXPECT_EQ(to_string(Shutdown::at_once()), "at once");
  EXPECT_EQ(to_string(Shutdown::wait()), "wait");
}

TEST(ChildOptionsTest, strategies_are_named) {
  EXPECT_EQ(to_string(Strategy::one_for_one), "one_for_one");
  EXPECT_EQ(to_string(Strategy::one_for_all), "one_for_all");
  EXPECT_EQ(to_string(Strategy::rest_for_one), "rest_for_one");
  EXPECT_EQ(to_string(Strategy{77}), "unknown");
}

} // namespace
} // namespace backoff_actor
