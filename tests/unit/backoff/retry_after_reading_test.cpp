#include "backoff_actor/backoff/limits.hpp"

#include "backoff_actor/backoff/retry_after_header.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

using Reading = RetryAfterReading;

constexpr Duration endless = Duration::max();

TEST(retry_after_readings, say_how_long_to_wait) {
  const struct {
    Reading reading;
    Duration backoff;
    std::optional<Duration> asked;
    Duration expected;
  } rows[] = {
    {Reading{}, 1s, std::nullopt, 1s},
    {Reading{}, 1s, 0s, 1s},
    {Reading{}, 1s, -1h, 1s},
    {Reading{}, 1s, 3s, 3s},
    {Reading{}, 5s, 3s, 5s},
    {Reading{}, 1s, 5min, 5min},
    {Reading::without_bound(), 1s, 48h, 48h},
    {Reading::without_bound(), 1s, endless, endless},
    {Reading::cut_to(30s), 1s, 29s, 29s},
    {Reading::cut_to(30s), 1s, 31s, 30s},
    {Reading::cut_to(30s), 40s, 31s, 40s}, // the backoff's own wait is not cut
    {Reading::cut_to_backoff_plus(5s), 25ms, 120s, 5025ms},
    {Reading::cut_to_backoff_plus(5s), 50ms, 120s, 5050ms},
    {Reading::cut_to_backoff_plus(5s), 50ms, 10ms, 50ms},
    {Reading::cut_to_backoff_plus(5s), 50ms, 4s, 4s},
    {Reading::cut_to_backoff_plus(endless), 50ms, endless, endless},
    {Reading::cut_to_backoff_plus(endless - 1ns), 1ns, endless, endless},
    {Reading::cut_to_backoff_plus(endless - 1ns), 2ns, endless, endless},
    {Reading::ignored(), 1s, 120s, 1s},
    {Reading::ignored(), 1s, 0s, 1s},
  };
  for (const auto& row : rows)
    EXPECT_EQ(row.reading.wait(row.backoff, row.asked), row.expected)
      << to_string(row.reading) << ", backoff " << to_string(row.backoff);
}

TEST(retry_after_readings, take_the_place_of_the_backoff_if_told_to_and_then_zero_is_at_once) {
  const struct {
    Reading reading;
    std::optional<Duration> asked;
    Duration expected;
  } rows[] = {
    {Reading{}, 0s, 0s},
    {Reading{}, -1s, 0s},
    {Reading{}, 3s, 3s},
    {Reading{}, std::nullopt, 8s},
    {Reading::cut_to(30s), 120s, 30s},
    {Reading::cut_to(2s), 120s, 2s},
    {Reading::cut_to_backoff_plus(5s), 120s, 13s},
    {Reading::without_bound(), 48h, 48h},
    {Reading::ignored(), 0s, 8s},
  };
  for (const auto& row : rows)
    EXPECT_EQ(row.reading.in_place_of_backoff().wait(8s, row.asked), row.expected)
      << to_string(row.reading);
}

TEST(retry_after_readings, only_one_of_them_gives_up) {
  EXPECT_FALSE(Reading{}.gives_up(5min));
  EXPECT_TRUE(Reading{}.gives_up(5min + 1ns));
  EXPECT_TRUE(Reading::up_to(30s).gives_up(31s));
  EXPECT_TRUE(Reading::up_to(30s).in_place_of_backoff().gives_up(31s));
  for (const auto& reading : {Reading::without_bound(), Reading::cut_to(30s),
                              Reading::cut_to_backoff_plus(5s), Reading::ignored()})
    EXPECT_FALSE(reading.gives_up(endless)) << to_string(reading);
}

TEST(retry_after_readings, print_themselves) {
  EXPECT_EQ(to_string(Reading{}), "up to 5min");
  EXPECT_EQ(to_string(Reading{30s}), "up to 30s");
  EXPECT_EQ(to_string(Reading::without_bound()), "without bound");
  EXPECT_EQ(to_string(Reading::cut_to(endless)), "without bound");
  EXPECT_EQ(to_string(Reading::cut_to_backoff_plus(endless)), "without bound");
  EXPECT_EQ(to_string(Reading::cut_to(30s).in_place_of_backoff()),
            "cut to 30s, in place of the backoff");
  EXPECT_EQ(to_string(Reading::cut_to_backoff_plus(5s)), "cut to the backoff plus 5s");
  EXPECT_EQ(to_string(Reading::ignored().in_place_of_backoff()), "ignored");
}

// Azure, ky and got come back at once for a date that is past, undici waits as if there were none.
TEST(retry_after_readings, of_a_past_date_are_said_where_the_header_is_read) {
  constexpr std::chrono::sys_seconds now{1'800'000'000s}; // 15 January 2027, 8:00
  const auto reading = Reading::cut_to(30s).in_place_of_backoff();
  const auto wait = [&](const char* header, PastDate past) {
    return reading.wait(500ms, parse_retry_after(header, now, past));
  };
  EXPECT_EQ(wait("Fri, 15 Jan 2027 07:59:59 GMT", PastDate::is_zero), 0s);
  EXPECT_EQ(wait("Fri, 15 Jan 2027 07:59:59 GMT", PastDate::is_absent), 500ms);
  EXPECT_EQ(wait("Fri, 15 Jan 2027 08:00:00 GMT", PastDate::is_absent), 500ms);
  EXPECT_EQ(wait("Fri, 15 Jan 2027 08:00:02 GMT", PastDate::is_absent), 2s);
  EXPECT_EQ(wait("0", PastDate::is_absent), 0s);
}

} // namespace

} // namespace backoff_actor
