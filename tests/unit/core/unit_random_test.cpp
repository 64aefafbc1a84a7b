#include "backoff_actor/core/unit_random.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace backoff_actor::unit_random_test {

constexpr auto max = std::numeric_limits<std::uint64_t>::max();

// Computed by another program in another language; the same on every platform.
TEST(unit_random, gives_the_same_numbers_on_every_platform) {
  EXPECT_EQ(unit_random(0, 0, 0), 0x1.cd364143cce48p-4);
  EXPECT_EQ(unit_random(0, 0, 1), 0x1.d054bfebed128p-2);
  EXPECT_EQ(unit_random(0, 1, 0), 0x1.6cbf6ce152f52p-1);
  EXPECT_EQ(unit_random(1, 0, 0), 0x1.716c9226cc6fap-2);
  EXPECT_EQ(unit_random(7, 3, 8), 0x1.8f36e0ce7c11fp-1);
  EXPECT_EQ(unit_random(max, max, max), 0x1.5806e103515c0p-2);
}

TEST(unit_random, stays_below_one_and_fills_its_range_evenly) {
  constexpr int draws = 100'000;
  int tenths[10] = {};
  for (std::uint64_t n = 0; n < draws; ++n) {
    const auto u = unit_random(11, n % 7, n);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++tenths[static_cast<int>(u * 10)];
  }
  for (const auto count : tenths)
    EXPECT_NEAR(count, draws / 10, 400); // 4 standard deviations are 380
}

TEST(unit_random, neighbouring_streams_are_not_correlated) {
  constexpr int draws = 100'000;
  double sum = 0;
  for (std::uint64_t n = 0; n < draws; ++n)
    sum += (unit_random(5, 1, n) - 0.5) * (unit_random(5, 2, n) - 0.5);
  EXPECT_NEAR(sum / draws * 12, 0.0, 0.02); // the correlation; its standard deviation is 0.003
}

} // namespace backoff_actor::unit_random_test
