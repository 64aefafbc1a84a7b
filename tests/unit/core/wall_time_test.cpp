#include "backoff_actor/core/time.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace backoff_actor::wall_time_test {

TEST(wall_time, is_shown_as_iso_8601_in_whole_seconds) {
  EXPECT_EQ(to_string(WallTime{1'700'000'000'999'999'999}), "2023-11-14T22:13:20Z");
  EXPECT_EQ(to_string(WallTime{0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(to_string(WallTime{1'709'164'800'000'000'000}), "2024-02-29T00:00:00Z");
  EXPECT_EQ(to_string(WallTime{-1}), "1969-12-31T23:59:59Z");
}

TEST(wall_time, is_shown_at_both_ends) {
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(to_string(WallTime{Limits::min()}), "1677-09-21T00:12:43Z");
  EXPECT_EQ(to_string(WallTime{Limits::max()}), "2262-04-11T23:47:16Z");
}

} // namespace backoff_actor::wall_time_test
