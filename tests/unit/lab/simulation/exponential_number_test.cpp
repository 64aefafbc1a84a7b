#include "backoff_actor/lab/simulation/internal/exponential_number.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace backoff_actor::exponential_number_test {

TEST(exponential_number, is_the_logarithm_of_the_rest) {
  EXPECT_EQ(exponential_number(0), 0.0);
  EXPECT_DOUBLE_EQ(exponential_number(0.5), 0.693'147'180'559'945'3);
  EXPECT_DOUBLE_EQ(exponential_number(0.9), 2.302'585'092'994'046);
  EXPECT_DOUBLE_EQ(exponential_number(0x1.0p-53), 0x1.0p-53);
  EXPECT_DOUBLE_EQ(exponential_number(1 - 0x1.0p-53), 36.736'800'569'677'1);
  for (std::uint64_t n = 0; n < 100'000; ++n) {
    const auto u = unit_random(3, 1, n);
    ASSERT_NEAR(exponential_number(u), -std::log1p(-u), 4e-16 * std::max(1.0, -std::log1p(-u)));
  }
}

} // namespace backoff_actor::exponential_number_test
