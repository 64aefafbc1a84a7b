#include "backoffctl/common/flag_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace backoffctl::flag_values_test {

using backoff_actor::Problems;
using testing::Optional;

TEST(span_flag, takes_every_unit_to_the_nearest_double) {
  const std::vector<std::pair<std::string, double>> spans{
    {"1s", 1},     {"500ms", 0.5}, {"1.5us", 1.5e-6}, {"2min", 120},    {"10h", 36000},
    {"90s", 90},   {"100ms", 0.1}, {"1ns", 1e-9},     {"0.1s", 0.1},    {"1.500s", 1.5},
    {"7us", 7e-6}, {"3ns", 3e-9},  {"1023s", 1023},   {"2500000h", 9e9}};
  for (const auto& [text, seconds] : spans) {
    Problems problems;
    EXPECT_THAT(read_span_s("--first", text, 1e-9, problems), Optional(seconds)) << text;
    EXPECT_TRUE(problems.empty()) << text;
  }
}

TEST(span_flag, refuses_everything_else_with_the_flag_the_value_and_the_range) {
  for (const std::string text : {"s", "1e3s", "+1s", "-1s", "1.5ns", "0s", "0.9ns", "nan", "nans",
                                 "infs", "1s1s", "2500001h", "0x1s"}) {
    Problems problems;
    EXPECT_EQ(read_span_s("--first", text, 1e-9, problems), std::nullopt) << text;
    EXPECT_EQ(to_string(problems), "--first: got '" + text
                                     + "', allowed a span such as 100ms, 1.5s or 2min, more than 0 "
                                       "(1ns..2500000h)");
  }
}

TEST(span_flag, is_refused_with_what_it_lacks) {
  for (const auto& [text, advice] : {std::pair{"1", "add a unit: 1ms or 1s"},
                                     {"1 s", "write 1s"},
                                     {"1m", "write 1min"},
                                     {"1S", "write 1s"},
                                     {".5s", "write 0.5s"},
                                     {"1,5s", "write 1.5s"}}) {
    Problems problems;
    EXPECT_EQ(read_span_s("--elapsed", text, 0, problems), std::nullopt) << text;
    EXPECT_EQ(to_string(problems), std::string{"--elapsed: got '"} + text
                                     + "', allowed a span such as 100ms, 1.5s or 2min, "
                                       "0s..2500000h; "
                                     + advice);
  }
  Problems problems;
  EXPECT_EQ(
    read_duration("--watch", "5m", std::chrono::seconds{1}, std::chrono::hours{1}, problems),
    std::nullopt);
  EXPECT_EQ(to_string(problems),
            "--watch: got '5m', allowed a span such as 100ms, 1.5s or 2min, 1s..1h; write 5min");
}

TEST(span_flag, may_be_zero_where_a_point_in_time_is_meant) {
  Problems problems;
  EXPECT_THAT(read_span_s("--elapsed", "0s", 0, problems), Optional(0.0));
  EXPECT_EQ(read_span_s("--elapsed", "", 0, problems), std::nullopt);
  EXPECT_EQ(to_string(problems),
            "--elapsed: got nothing, allowed a span such as 100ms, 1.5s or 2min, 0s..2500000h");
}

TEST(number_flag, takes_numbers_within_its_range_with_both_ends) {
  Problems problems;
  EXPECT_THAT(read_number("--factor", "1", 1, 1000, problems), Optional(1.0));
  EXPECT_THAT(read_number("--factor", "1.1", 1, 1000, problems), Optional(1.1));
  EXPECT_THAT(read_number("--factor", "1e3", 1, 1000, problems), Optional(1000.0));
  EXPECT_TRUE(problems.empty());
}

TEST(number_flag, refuses_everything_else_with_the_flag_the_value_and_the_range) {
  for (const std::string text :
       {"0.999", "1000.1", "nan", "inf", "1e400", "-1", "+2", "2x", "0x2", "1,1", " 2"}) {
    Problems problems;
    EXPECT_EQ(read_number("--factor", text, 1, 1000, problems), std::nullopt) << text;
    EXPECT_EQ(to_string(problems),
              "--factor: got '" + text + "', allowed a number such as 1.1, 1..1000");
  }
}

TEST(whole_number_flag, takes_digits_within_its_range_with_both_ends) {
  Problems problems;
  EXPECT_THAT(read_whole("--seed", "0", 0, UINT64_MAX, problems), Optional(0u));
  EXPECT_THAT(read_whole("--seed", "18446744073709551615", 0, UINT64_MAX, problems),
              Optional(UINT64_MAX));
  EXPECT_TRUE(problems.empty());
}

TEST(whole_number_flag, refuses_everything_else_with_the_flag_the_value_and_the_range) {
  for (const std::string text :
       {"0", "11", "-1", "+1", "1e1", "1.0", " 1", "1 ", "0x1", "ten", "18446744073709551617"}) {
    Problems problems;
    EXPECT_EQ(read_whole("--attempts", text, 1, 10, problems), std::nullopt) << text;
    EXPECT_EQ(to_string(problems), "--attempts: got '" + text + "', allowed a whole number, 1..10");
  }
}

} // namespace backoffctl::flag_values_test
