#include "backoffctl/live/go_format.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;
using backoff_actor::Duration;

const std::chrono::system_clock::time_point june_2013{1371821478708ms};

TEST(go_format, renders_durations_as_go_does) {
  EXPECT_EQ(go_duration(100ms), "100ms");
  EXPECT_EQ(go_duration(2671444385ns), "2.671444385s");
  EXPECT_EQ(go_duration(128580906589ns), "2m8.580906589s");
  EXPECT_EQ(go_duration(47524196455ns), "47.524196455s");
  EXPECT_EQ(go_duration(125569277ns), "125.569277ms");
  EXPECT_EQ(go_duration(1500ns), "1.5µs");
  EXPECT_EQ(go_duration(7ns), "7ns");
  EXPECT_EQ(go_duration(1s), "1s");
  EXPECT_EQ(go_duration(1h), "1h0m0s");
  EXPECT_EQ(go_duration(61min + 1500ms), "1h1m1.5s");
}

TEST(go_format, renders_zero_as_the_article_does) { EXPECT_EQ(go_duration(0s), "0"); }

TEST(go_format, renders_the_longest_and_the_most_negative_duration) {
  EXPECT_EQ(go_duration(Duration::max()), "2562047h47m16.854775807s");
  EXPECT_EQ(go_duration(Duration::min()), "-2562047h47m16.854775808s");
  EXPECT_EQ(go_duration(-1500ms), "-1.5s");
}

TEST(go_format, renders_the_lines_of_the_article) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(server_line(june_2013, 0, 0s), "Jun 21 13:31:18.708: concurrency:    0, last delay: 0");
  EXPECT_EQ(server_line(june_2013, 2231, 128580906589ns),
            "Jun 21 13:31:18.708: concurrency: 2231, last delay: 2m8.580906589s");
  EXPECT_EQ(client_line(98, 0, 0),
            "OK: 98.00 req/sec, errors: 0.00 req/sec, timedout: 0.00 req/sec");
  EXPECT_EQ(client_line(36, 0.2, 22.6),
            "OK: 36.00 req/sec, errors: 0.20 req/sec, timedout: 22.60 req/sec");
}

TEST(go_format, a_day_of_one_digit_is_padded_with_a_space) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(go_stamp(june_2013 - 20 * 24h), "Jun  1 13:31:18.708");
}

} // namespace
} // namespace backoffctl
