#include "backoffctl/live/live_outage_text.hpp"
#include "backoffctl/live/outage_record.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace backoffctl {
namespace {

std::string load_line(double clock_s, int ok, int failed) {
  return R"({"clock_s":)" + std::to_string(clock_s) + R"(,"span_s":1.0,"attempts":)"
         + std::to_string(ok + failed) + R"(,"ok":)" + std::to_string(ok)
         + R"(,"errors":1,"timedout":)" + std::to_string(failed - 1)
         + R"(,"latency_mean_s":0.25,"latency_max_s":1.0})";
}

std::string load_line(double clock_s, int ok) {
  return R"({"clock_s":)" + std::to_string(clock_s) + R"(,"span_s":1.0,"attempts":)"
         + std::to_string(ok) + R"(,"ok":)" + std::to_string(ok)
         + R"(,"errors":0,"timedout":0,"latency_mean_s":0.1,"latency_max_s":0.2})";
}

std::string server_line(double clock_s, int concurrency, int peak, int lost) {
  return R"({"clock_s":)" + std::to_string(clock_s) + R"(,"concurrency":)"
         + std::to_string(concurrency) + R"(,"peak_concurrency":)" + std::to_string(peak)
         + R"(,"finished_for_nobody":)" + std::to_string(lost) + "}";
}

// 20 s as usual, a stop of 5 s, and 35 s as usual again but for the first two.
OutageRecord an_outage() {
  OutageRecord record;
  for (auto i = 0; i < 60; ++i) {
    const auto end_s = 1001.003 + i;
    if (i == 20)
      record.stopped(1020.003);
    if (i == 25)
      record.back(1025.003);
    const auto is_down = i >= 20 && i < 25;
    if (!is_down)
      record.add_server_line(server_line(end_s - 0.5, 10, i == 25 ? 300 : 12, i == 25 ? 40 : 0));
    record.add_load_line(
      is_down ? load_line(end_s, 0, 50)
              : (i < 27 && i >= 25 ? load_line(end_s, 80, 20) : load_line(end_s, 100)));
  }
  return record;
}

TEST(outage_record, puts_the_lines_into_the_seconds_of_the_clients) {
  const auto record = an_outage();
  const auto seconds = record.seconds();
  ASSERT_EQ(seconds.size(), 60u);
  EXPECT_EQ(seconds[3].ok, 100u);
  EXPECT_EQ(seconds[3].timed_out, 0u);
  EXPECT_DOUBLE_EQ(seconds[3].latency_s, 0.1);
  EXPECT_EQ(seconds[3].peak_concurrency, 12u);
  EXPECT_EQ(seconds[22].ok, 0u);
  EXPECT_EQ(seconds[22].timed_out, 50u);  // errors, too
  EXPECT_EQ(seconds[22].concurrency, 10); // what it had when it was stopped
  EXPECT_EQ(seconds[25].peak_concurrency, 300u);
}

TEST(outage_record, judges_as_the_simulation_does) {
  const auto summary = an_outage().summary(3);
  EXPECT_TRUE(summary.recovery.recovered);
  EXPECT_NEAR(summary.recovery.recover_s.value_or(-1), 2, 0.01);
  EXPECT_DOUBLE_EQ(summary.rate_before, 100);
  EXPECT_EQ(summary.attempts_during_outage, 250u);
  EXPECT_EQ(summary.peak_concurrency, 300u);
  EXPECT_EQ(summary.lost_work, 40u);
}

TEST(outage_record, counts_what_is_still_worked_on_for_nobody_once) {
  auto record = an_outage();
  const auto working = R"(,"concurrency":9,"peak_concurrency":9,"worked_on_for_nobody":7})";
  record.add_server_line(R"({"clock_s":1059.4)" + std::string{working});
  record.add_server_line(R"({"clock_s":1060.4)" + std::string{working});
  EXPECT_EQ(record.summary(3).lost_work, 47u);
}

TEST(outage_record, is_steady_when_no_call_failed_of_late) {
  OutageRecord record;
  record.add_load_line(load_line(1, 90, 5));
  for (auto i = 2; i < 6; ++i)
    record.add_load_line(load_line(i, 100));
  EXPECT_TRUE(record.is_steady(4));
  EXPECT_FALSE(record.is_steady(5));
  EXPECT_FALSE(record.is_steady(6)); // not known
}

TEST(outage_record, a_second_without_a_line_is_empty) {
  OutageRecord record;
  record.add_load_line(load_line(11, 100));
  record.add_load_line(load_line(13.02, 150));
  ASSERT_EQ(record.size(), 3u);
  EXPECT_EQ(record.seconds()[1].ok, 0u);
  EXPECT_EQ(record.seconds()[2].ok, 150u);
}

TEST(outage_record, what_is_no_line_is_refused) {
  OutageRecord record;
  EXPECT_THROW(record.add_load_line("OK: 98.00 req/sec"), std::runtime_error);
  EXPECT_THROW(record.add_server_line("{}"), std::runtime_error);
}

TEST(live_outage_text, tells_the_verdict_last) {
  OutageRun run;
  run.seconds.resize(87);
  run.times = {1, 6.003, 26.005};
  run.summary.recovery = {true, 4.2};
  EXPECT_EQ(verdict(run), "recovered after 4.2 s");
  run.summary.recovery = {};
  EXPECT_EQ(verdict(run), "not recovered within 30 s") << "of the minute that was watched";
}

} // namespace
} // namespace backoffctl
