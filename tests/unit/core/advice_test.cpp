#include "backoff_actor/core/text/internal/advice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace backoff_actor::detail::advice_test {

constexpr std::array<std::string_view, 8> commands{"plan",  "tune", "simulate", "outbox",
                                                   "serve", "load", "outage",   "help"};
constexpr std::array<std::string_view, 5> policies{"exponential", "fixed", "full_jitter",
                                                   "equal_jitter", "linear"};

TEST(nearest_name, has_a_letter_too_many_too_few_wrong_or_swapped) {
  EXPECT_EQ(nearest_name("plann", commands), "plan");
  EXPECT_EQ(nearest_name("pln", commands), "plan");
  EXPECT_EQ(nearest_name("tuna", commands), "tune");
  EXPECT_EQ(nearest_name("tnue", commands), "tune");
  EXPECT_EQ(nearest_name("exponetial", policies), "exponential");
  EXPECT_EQ(nearest_name("eksponenziel", policies), "");
  EXPECT_EQ(nearest_name("exponenziell", policies), "exponential");
}

TEST(nearest_name, may_be_a_whole_whose_part_was_given) {
  EXPECT_EQ(nearest_name("exp", policies), "exponential");
  EXPECT_EQ(nearest_name("full", policies), "full_jitter");
  EXPECT_EQ(nearest_name("ex", policies), "");
}

TEST(nearest_name, is_none_if_several_are_as_near) {
  EXPECT_EQ(nearest_name("jitter", policies), "");
  constexpr std::array<std::string_view, 2> both{"--url", "--uri"};
  EXPECT_EQ(nearest_name("--urx", both), "");
  EXPECT_EQ(nearest_name("--url", both), "--url");
}

TEST(nearest_name, is_none_for_a_word_of_its_own) {
  for (const std::string given : {"", "x", "xyz", "garbage", "--frobnicate"})
    EXPECT_EQ(nearest_name(given, commands), "") << given;
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), commands), "");
  EXPECT_EQ(nearest_name("plan", {}), "");
}

TEST(did_you_mean, asks_for_the_nearest_name_or_is_silent) {
  EXPECT_EQ(did_you_mean("outagee", commands), "; did you mean outage?");
  EXPECT_EQ(did_you_mean("garbage", commands), "");
}

TEST(span_advice, corrects_the_unit) {
  for (const auto& [given, advice] : {std::pair{"5m", "; write 5min"},
                                      {"5 sec", "; write 5s"},
                                      {"5 s", "; write 5s"},
                                      {" 5s ", "; write 5s"},
                                      {"1.5hours", "; write 1.5h"},
                                      {"100MS", "; write 100ms"},
                                      {"10 \xc2\xb5s", "; write 10us"},
                                      {"10\xce\xbcs", "; write 10us"},
                                      {"3 nanoseconds", "; write 3ns"},
                                      {"2d", "; write 48h"}})
    EXPECT_EQ(span_advice(given), advice) << given;
}

TEST(span_advice, corrects_the_number) {
  EXPECT_EQ(span_advice("1,5s"), "; write 1.5s");
  EXPECT_EQ(span_advice(".5s"), "; write 0.5s");
}

TEST(span_advice, asks_for_a_unit) {
  EXPECT_EQ(span_advice("100"), "; add a unit: 100ms or 100s");
  EXPECT_EQ(span_advice("1.5"), "; add a unit: 1.5ms or 1.5s");
}

TEST(span_advice, is_none_for_a_span_and_for_what_has_no_likely_meaning) {
  for (const auto* given :
       {"5min", "0s", "", " ", "s", "5x", "1 parsec", "-5m", "1e3", "1.2.3", "0.5d", "99999d",
        "0.5ns", "99999999999999", "9999999999999999m", "nan", "1s 2s", "\xff"})
    EXPECT_EQ(span_advice(given), "") << given;
}

} // namespace backoff_actor::detail::advice_test
