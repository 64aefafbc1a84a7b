#include "backoffctl/live/live.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace backoffctl::call_counts_test {

using namespace std::chrono_literals;
using Kind = CallResult::Kind;

TEST(call_counts, name_what_caused_the_most_errors) {
  CallCounts counts;
  EXPECT_EQ(counts.main_cause(), "");
  counts.add({Kind::answered, 200, 3ms});
  counts.add({Kind::timedout, 0, 2s});
  EXPECT_EQ(counts.main_cause(), "");
  counts.add({Kind::answered, 503, 1ms});
  EXPECT_EQ(counts.main_cause(), "HTTP status 503");
  counts.add({Kind::failed, 0, 1ms, "Connection refused"});
  counts.add({Kind::failed, 0, 1ms, "Connection refused"});
  EXPECT_EQ(counts.main_cause(), "Connection refused");
  EXPECT_EQ(counts.errors, 3u);
}

TEST(call_counts, are_a_line_of_json) {
  CallCounts counts;
  EXPECT_EQ(counts_json(counts, 1.5, 1),
            R"({"clock_s":1.5,"span_s":1.0,"attempts":0,"ok":0,"errors":0,"timedout":0,)"
            R"("latency_mean_s":0.0,"latency_max_s":0.0,"error":null})");
  counts.attempts = 1;
  counts.add({Kind::failed, 0, 1ms, "Connection refused"});
  EXPECT_EQ(counts_json(counts, 2.5, 1),
            R"({"clock_s":2.5,"span_s":1.0,"attempts":1,"ok":0,"errors":1,"timedout":0,)"
            R"("latency_mean_s":0.0,"latency_max_s":0.0,"error":"Connection refused"})");
}

} // namespace backoffctl::call_counts_test
