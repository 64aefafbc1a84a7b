#include "backoff_actor/core/text/internal/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace backoff_actor::detail {
namespace {

TEST(number_text, is_the_shortest_that_gives_the_number_back) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-1.5), "-1.5");
  EXPECT_EQ(number_text(1e-9), "1e-09");
  EXPECT_EQ(number_text(1e9), "1e+09");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(number_text, has_an_exponent_if_that_is_wanted) {
  EXPECT_EQ(number_text(1e-9, std::chars_format::fixed), "0.000000001");
  EXPECT_EQ(number_text(0.25, std::chars_format::scientific), "2.5e-01");
  EXPECT_EQ(number_text(std::numeric_limits<double>::max(), std::chars_format::fixed).size(), 309u);
}

TEST(number_text, has_as_many_digits_as_are_wanted) {
  EXPECT_EQ(number_text(1.0 / 3, std::chars_format::fixed, 3), "0.333");
  EXPECT_EQ(number_text(2, std::chars_format::fixed, 3), "2.000");
  EXPECT_EQ(number_text(1.0 / 3, std::chars_format::general, 4), "0.3333");
  EXPECT_EQ(number_text(std::numeric_limits<double>::max(), std::chars_format::fixed, 100).size(),
            410u);
}

} // namespace
} // namespace backoff_actor::detail
