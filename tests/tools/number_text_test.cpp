#include "backoffctl/number_text.hpp"

#include <gtest/gtest.h>

namespace backoffctl::number_text_test {

TEST(number_text, shortest_gives_the_number_back) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1000), "1000");
  EXPECT_EQ(shortest(0.1 + 0.2), "0.30000000000000004");
}

TEST(number_text, fixed_has_its_decimals_however_large_the_number) {
  EXPECT_EQ(fixed(88.19748, 3), "88.197");
  EXPECT_EQ(fixed(1024, 3), "1024.000");
  EXPECT_EQ(fixed(0.0001, 3), "0.000");
  EXPECT_EQ(fixed(1e300, 3).size(), 305u);
}

TEST(number_text, rounded_has_ten_digits_at_most_and_no_exponent) {
  EXPECT_EQ(rounded(0), "0");
  EXPECT_EQ(rounded(2), "2");
  EXPECT_EQ(rounded(1.1 - 1), "0.1");
  EXPECT_EQ(rounded(4.0 / 3), "1.333333333");
  EXPECT_EQ(rounded(1000), "1000");
  EXPECT_EQ(rounded(9e9), "9000000000");
  EXPECT_EQ(rounded(1.5e-6), "0.0000015");
  EXPECT_EQ(rounded(1.000000001), "1.000000001");
  EXPECT_EQ(rounded(123456789.123), "123456789.1");
}

} // namespace backoffctl::number_text_test
