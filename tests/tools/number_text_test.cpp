#include "backoffctl/text/number_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

TEST(number_text, rounded_has_as_many_digits_as_wanted) {
  EXPECT_EQ(rounded(1.9683, 4), "1.968");
  EXPECT_EQ(rounded(104.6035, 4), "104.6");
  EXPECT_EQ(rounded(40104.7, 4), "40105");
  EXPECT_EQ(rounded(0.00001142, 3), "0.0000114");
}

TEST(number_text, a_span_is_in_the_unit_in_which_it_reads_best) {
  const std::vector<std::pair<double, std::string>> spans{{0, "0 s"},
                                                          {1e-15, "0 s"},
                                                          {5e-10, "0.5 ns"},
                                                          {1e-9, "1 ns"},
                                                          {51.2e-6, "51.2 us"},
                                                          {0.1, "100 ms"},
                                                          {0.27, "270 ms"},
                                                          {0.9999, "999.9 ms"},
                                                          {0.99999, "1 s"},
                                                          {1.9683, "1.968 s"},
                                                          {5.0625, "5.063 s"},
                                                          {5.062499999999999, "5.063 s"},
                                                          {104.6035, "104.6 s"},
                                                          {119.9, "119.9 s"},
                                                          {120, "2 min"},
                                                          {577.906, "9.632 min"},
                                                          {7199, "120 min"},
                                                          {7200, "2 h"},
                                                          {100'000, "27.78 h"},
                                                          {864'000, "10 d"},
                                                          {1e8, "3.171 y"},
                                                          {3153600000, "100 y"},
                                                          {1e15, "31709792 y"}};
  for (const auto& [seconds, text] : spans)
    EXPECT_EQ(span_text(seconds), text) << seconds;
}

} // namespace backoffctl::number_text_test
