#include "backoffctl/live/live.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;

CallCounts counts(std::uint64_t ok, std::uint64_t failed, backoff_actor::Duration latency = 100ms) {
  CallCounts result;
  result.attempts = ok + failed;
  result.ok = ok;
  result.errors = failed > 0 ? 1 : 0;
  result.timedout = failed - result.errors;
  result.latency_sum = latency * static_cast<std::int64_t>(ok);
  return result;
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
      record.add_server({end_s - 0.5, 10, i == 25 ? 300u : 12u, i == 25 ? 40u : 0u, 0});
    record.add_load(end_s, 1,
                    is_down              ? counts(0, 50)
                    : i == 25 || i == 26 ? counts(80, 20)
                                         : counts(100, 0));
  }
  return record;
}

TEST(outage_record, puts_what_is_told_into_the_seconds_of_the_clients) {
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
  record.add_server({1059.4, 9, 9, 0, 7});
  record.add_server({1060.4, 9, 9, 0, 7});
  EXPECT_EQ(record.summary(3).lost_work, 47u);
}

TEST(outage_record, is_steady_when_no_call_failed_of_late) {
  OutageRecord record;
  record.add_load(1, 1, counts(90, 5));
  for (auto i = 2; i < 6; ++i)
    record.add_load(i, 1, counts(100, 0));
  EXPECT_TRUE(record.is_steady(4));
  EXPECT_FALSE(record.is_steady(5));
  EXPECT_FALSE(record.is_steady(6)); // not known
}

TEST(outage_record, a_second_that_nobody_told_of_is_empty) {
  OutageRecord record;
  record.add_load(11, 1, counts(100, 0));
  record.add_load(13.02, 1, counts(150, 0));
  ASSERT_EQ(record.size(), 3u);
  EXPECT_EQ(record.seconds()[1].ok, 0u);
  EXPECT_EQ(record.seconds()[2].ok, 150u);
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
