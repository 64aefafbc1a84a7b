#include "backoff_actor/supervision/restart_limit.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace backoff_actor::restart_limit_test {

using namespace std::chrono_literals;

constexpr Instant at(Duration span) { return {span}; }

TEST(restart_window, bears_as_many_failures_as_it_says_and_not_one_more) {
  const RestartLimit limit{3, 5s};
  RestartWindow window;

  EXPECT_FALSE(window.add(limit, at(0s)));
  EXPECT_FALSE(window.add(limit, at(1s)));
  EXPECT_FALSE(window.add(limit, at(2s)));
  EXPECT_TRUE(window.add(limit, at(3s)));
}

TEST(restart_window, slides) {
  const RestartLimit limit{2, 5s};
  RestartWindow window;

  EXPECT_FALSE(window.add(limit, at(0s)));
  EXPECT_FALSE(window.add(limit, at(4s)));
  EXPECT_FALSE(window.add(limit, at(6s))) << "the first is out by now";
  EXPECT_TRUE(window.add(limit, at(8s))) << "4 s, 6 s and 8 s";
}

TEST(restart_window, a_failure_as_old_as_the_window_counts_no_more) {
  const RestartLimit limit{1, 5s};
  RestartWindow window;
  EXPECT_FALSE(window.add(limit, at(0s)));
  EXPECT_FALSE(window.add(limit, at(5s)));
  EXPECT_TRUE(window.add(limit, at(10s) + Duration{-1}));
}

TEST(restart_window, bears_none_at_zero) {
  const RestartLimit limit{0, 1s};
  RestartWindow window;

  EXPECT_TRUE(window.add(limit, at(0s)));
}

TEST(restart_window, begins_anew_when_it_is_cleared) {
  const RestartLimit limit{1, 5s};
  RestartWindow window;
  window.add(limit, at(0s));
  window.clear();

  EXPECT_FALSE(window.add(limit, at(1s)));
  EXPECT_TRUE(window.add(limit, at(2s)));
}

} // namespace backoff_actor::restart_limit_test
