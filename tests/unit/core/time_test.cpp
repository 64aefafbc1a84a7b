#include "backoff_actor/core/time.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::time_test {

using namespace std::chrono_literals;

TEST(duration_text, uses_the_largest_unit_that_fits_and_loses_nothing) {
  EXPECT_EQ(to_string(Duration{0}), "0ns");
  EXPECT_EQ(to_string(Duration{5}), "5ns");
  EXPECT_EQ(to_string(Duration{1'500}), "1.5us");
  EXPECT_EQ(to_string(Duration{10ms}), "10ms");
  EXPECT_EQ(to_string(Duration{1'023'000'000}), "1.023s");
  EXPECT_EQ(to_string(Duration{12'345'678}), "12.345678ms");
  EXPECT_EQ(to_string(Duration{1'000'000'001}), "1.000000001s");
}

TEST(duration_text, uses_minutes_and_hours_only_for_whole_ones) {
  EXPECT_EQ(to_string(Duration{2min}), "2min");
  EXPECT_EQ(to_string(Duration{90s}), "90s");
  EXPECT_EQ(to_string(Duration{10h}), "10h");
}

TEST(duration_text, keeps_the_sign_even_of_the_most_negative_span) {
  EXPECT_EQ(to_string(Duration{-5ms}), "-5ms");
  EXPECT_EQ(to_string(Duration::min()), "-9223372036.854775808s");
}

TEST(duration_text, is_read_back) {
  for (const auto span : {Duration{0}, Duration{5}, Duration{1'500}, Duration{10ms},
                          Duration{1'023'000'000}, Duration{1'000'000'001}, Duration{2min},
                          Duration{90s}, Duration{876'000h}, Duration::max()})
    EXPECT_EQ(parse_duration(to_string(span)), span) << to_string(span);
}

TEST(duration_text, is_read_in_any_unit) {
  EXPECT_EQ(parse_duration("1.5h"), Duration{90min});
  EXPECT_EQ(parse_duration("0.25min"), Duration{15s});
  EXPECT_EQ(parse_duration("0.001us"), Duration{1});
  EXPECT_EQ(parse_duration("007ms"), Duration{7ms});
  EXPECT_EQ(parse_duration("1.500000000000000000000s"), Duration{1500ms});
}

TEST(duration_text, is_refused_if_it_is_no_span_or_none_that_can_be_held) {
  for (const auto* text : {"",
                           "s",
                           "1",
                           "1 s",
                           " 1s",
                           "1s ",
                           "-1s",
                           "+1s",
                           "1.s",
                           ".5s",
                           "1..5s",
                           "1.5.5s",
                           "1e3s",
                           "1S",
                           "1m",
                           "1sec",
                           "0x1s",
                           "nan",
                           "infs",
                           "1,5s",
                           "0.5ns",
                           "1.0001us",
                           "0.0000000001s",
                           "9223372037s",
                           "99999999999999999999999999999999s",
                           "2562048h"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(instant, moves_by_a_span) {
  EXPECT_EQ((Instant{1s} + 500ms), Instant{1500ms});
  EXPECT_EQ((Instant{1s} + Duration{-3s}), Instant{-2s});
  EXPECT_EQ((Instant{5s} - Instant{2s}), Duration{3s});
}

TEST(instant, stops_at_the_ends_of_the_time_line_instead_of_overflowing) {
  EXPECT_EQ((Instant{1h} + Duration::max()), Instant::never());
  EXPECT_EQ((Instant{-1h} + Duration::min()), Instant{Duration::min()});
  EXPECT_EQ((Instant::never() - Instant{-1s}), Duration::max());
  EXPECT_EQ((Instant{Duration::min()} - Instant{1s}), Duration::min());
}

} // namespace backoff_actor::time_test
