// What a program says when it is stopped, and its exit code.

#include "backoff_actor/observe/shutdown_summary.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace backoff_actor {
namespace {

using namespace std::chrono_literals;

TEST(ShutdownText, announces_the_signal_and_how_long_the_stop_may_take) {
  EXPECT_EQ(announcement(SIGTERM, 15s),
            "SIGTERM: stopping, within 15s. A second signal ends the program at once.");
  EXPECT_EQ(announcement(SIGINT, 500ms),
            "SIGINT: stopping, within 500ms. A second signal ends the program at once.");
}

TEST(ShutdownText, counts_what_became_of_the_deliveries) {
  EXPECT_EQ(
    to_string(ShutdownSummary{
      .took = 1'234'567us, .acknowledged = 3, .suspended = 12, .dead_lettered = 2, .abandoned = 1}),
    "stopped after 1.235s: 3 acknowledged, 12 suspended, 2 dead-lettered, 1 child "
    "abandoned");
}

TEST(ShutdownText, names_roots_that_did_not_end_or_had_failed) {
  EXPECT_EQ(to_string(ShutdownSummary{.took = 20s, .silent_roots = 1, .failed_roots = 2}),
            "stopped after 20s: 0 acknowledged, 0 suspended, 0 dead-lettered, 0 children "
            "abandoned, 1 root has not ended, 2 roots have failed");
}

TEST(ShutdownCode, is_0_if_all_ended_in_order_by_sigterm_or_by_itself) {
  EXPECT_EQ(exit_code({.signal = SIGTERM, .acknowledged = 3, .suspended = 12}), 0);
  EXPECT_EQ(exit_code({}), 0);
}

TEST(ShutdownCode, is_130_if_all_ended_in_order_by_sigint) {
  EXPECT_EQ(exit_code({.signal = SIGINT, .acknowledged = 3}), 130);
}

TEST(ShutdownCode, is_1_if_something_was_given_up_or_left_or_had_failed) {
  EXPECT_EQ(exit_code({.signal = SIGTERM, .dead_lettered = 1}), 1);
  EXPECT_EQ(exit_code({.signal = SIGINT, .dead_lettered = 1}), 1);
  EXPECT_EQ(exit_code({.signal = SIGTERM, .abandoned = 1}), 1);
  EXPECT_EQ(exit_code({.signal = SIGTERM, .silent_roots = 1}), 1);
  EXPECT_EQ(exit_code({.failed_roots = 1}), 1);
}

} // namespace
} // namespace backoff_actor
