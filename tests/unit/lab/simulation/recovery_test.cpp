#include "backoff_actor/lab/simulation/internal/recovery.hpp"

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/lab/simulation/internal/outage_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::recovery_test {

using Seconds = std::vector<OutageSecond>;

constexpr OutageTimes times{10, 70, 90};

// A minute and ten seconds of 100 answers, 20 s of none, then as given.
Seconds outage_and_then(const std::vector<std::uint64_t>& answers) {
  Seconds result;
  for (int i = 0; i < 70; ++i)
    result.push_back({.ok = 100});
  for (int i = 0; i < 20; ++i)
    result.push_back({.timed_out = 50});
  for (const auto count : answers)
    result.push_back({.ok = count});
  return result;
}

std::vector<std::uint64_t> repeated(std::uint64_t count, std::size_t seconds) {
  return std::vector<std::uint64_t>(seconds, count);
}

TEST(judge_recovery, finds_a_service_recovered_that_answers_as_before) {
  EXPECT_EQ(judge_recovery(outage_and_then(repeated(100, 120)), times), (Recovery{true, 0.0}));
}

TEST(judge_recovery, finds_none_without_answers) {
  EXPECT_EQ(judge_recovery(outage_and_then(repeated(0, 120)), times), Recovery{});
}

TEST(judge_recovery, begins_where_ten_seconds_have_95_percent) {
  auto answers = repeated(60, 30);
  const auto rest = repeated(95, 120);
  answers.insert(answers.end(), rest.begin(), rest.end());

  EXPECT_EQ(judge_recovery(outage_and_then(answers), times), (Recovery{true, 30.0}));
}

TEST(judge_recovery, begins_after_the_last_timeout) {
  auto seconds = outage_and_then(repeated(100, 120));
  seconds[95].timed_out = 1;
  EXPECT_EQ(judge_recovery(seconds, times), (Recovery{true, 6.0}));

  seconds.back().timed_out = 1;
  EXPECT_EQ(judge_recovery(seconds, times), Recovery{});
}

TEST(judge_recovery, does_not_begin_with_a_second_without_answers) {
  auto answers = repeated(100, 120);
  answers[0] = 0;
  answers[1] = 300;

  EXPECT_EQ(judge_recovery(outage_and_then(answers), times), (Recovery{true, 1.0}));
}

// At two a second, no answer in a second is noise, but no beginning either.
TEST(judge_recovery, begins_with_an_answer) {
  Seconds seconds(70, {.ok = 2});
  seconds.resize(93); // the service is back for three of them
  seconds.resize(94, {.ok = 9});
  seconds.resize(200, {.ok = 2});

  EXPECT_EQ(judge_recovery(seconds, times), (Recovery{true, 3.0}));
}

TEST(judge_recovery, finds_none_if_it_does_not_stay_so) {
  auto answers = repeated(100, 300);
  for (int i = 200; i < 260; ++i)
    answers[static_cast<std::size_t>(i)] = 80;
  EXPECT_GT(judge_recovery(outage_and_then(answers), times).recover_s.value_or(0), 200.0);

  EXPECT_FALSE(judge_recovery(outage_and_then(repeated(80, 300)), times).recovered);
}

TEST(judge_recovery, needs_thirty_seconds_and_answers_before) {
  EXPECT_EQ(judge_recovery(outage_and_then(repeated(100, 29)), times), Recovery{});
  EXPECT_EQ(judge_recovery(outage_and_then(repeated(100, 30)), times), (Recovery{true, 0.0}));
  EXPECT_FALSE(judge_recovery(Seconds(200), times).recovered);
  EXPECT_FALSE(judge_recovery({}, times).recovered);
}

TEST(judge_recovery, finds_in_the_shortest_watch_who_is_back_within_half_a_minute) {
  const auto found_if_back_after = [](std::size_t seconds) {
    auto answers = repeated(0, seconds);
    answers.resize(shortest_watch / std::chrono::seconds{1}, 100);
    return judge_recovery(outage_and_then(answers), times).recover_s;
  };
  EXPECT_EQ(found_if_back_after(4), 4.0);
  EXPECT_EQ(found_if_back_after(30), 30.0);
  EXPECT_EQ(found_if_back_after(31), std::nullopt);
}

TEST(judge_recovery, is_not_convinced_by_a_few_good_seconds_at_the_end) {
  for (const auto good : {std::size_t{12}, std::size_t{29}}) {
    Seconds seconds(60, {.ok = 99});
    seconds.resize(660 - good, {.timed_out = 400});
    seconds.resize(660, {.ok = 99});
    EXPECT_EQ(judge_recovery(seconds, {0, 60, 60}), Recovery{}) << good << " seconds";
  }
}

TEST(judge_recovery, finds_none_if_the_last_thirty_seconds_are_worse) {
  auto answers = repeated(100, 120);
  const auto rest = repeated(80, 30);
  answers.insert(answers.end(), rest.begin(), rest.end());

  EXPECT_EQ(judge_recovery(outage_and_then(answers), times), Recovery{});
}

// It is within the noise of each minute, but not of ten.
TEST(judge_recovery, does_not_take_90_percent_for_95) {
  Seconds seconds(60, {.ok = 99});
  seconds.resize(660, {.ok = 89});
  EXPECT_EQ(judge_recovery(seconds, {0, 60, 60}), Recovery{});
}

TEST(judge_recovery, counts_whole_seconds_from_the_end_of_the_outage) {
  EXPECT_EQ(judge_recovery(outage_and_then(repeated(100, 120)), {10, 70, 89.25}),
            (Recovery{true, 0.75}));
}

// A number from the Poisson distribution.
std::uint64_t poisson(double mean, std::uint64_t seed, std::uint64_t& n) {
  std::uint64_t count = 0;
  for (double rest = mean; rest > 0; rest -= 1) { // the sum of numbers with a mean of 1 at the most
    const auto part = std::min(rest, 1.0);
    auto u = unit_random(seed, 1, n++);
    auto p = std::exp(-part);
    for (std::uint64_t k = 1; u >= p && k < 30; ++k) {
      ++count;
      u -= p;
      p *= part / static_cast<double>(k);
    }
  }
  return count;
}

// Of a thousand services with a minute before, whose answers come at random at a share of their
// rate from then on, so many are found recovered.
int recovered_of_1000(double rate, double share, int seconds_after) {
  int result = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    std::uint64_t n = 0;
    Seconds seconds;
    for (int i = 0; i < 60 + seconds_after; ++i)
      seconds.push_back({.ok = poisson(i < 60 ? rate : rate * share, seed, n)});
    result += judge_recovery(seconds, {0, 60, 60}).recovered ? 1 : 0;
  }
  return result;
}

TEST(judge_recovery, does_not_take_the_noise_of_a_healthy_service_for_a_failure) {
  EXPECT_EQ(recovered_of_1000(1, 1, 600), 1000);
  EXPECT_EQ(recovered_of_1000(9.9, 1, 600), 1000);
  EXPECT_EQ(recovered_of_1000(99, 1, 600), 1000);
  EXPECT_EQ(recovered_of_1000(99, 1, 30), 1000);
}

// The rate before is not known better than to 1.3 %, and of the stretches up to the end one is the
// best.
TEST(judge_recovery, tells_85_percent_at_99_a_second_from_95_and_every_second_time_90) {
  EXPECT_EQ(recovered_of_1000(99, 0.9, 600), 513);
  EXPECT_EQ(recovered_of_1000(99, 0.85, 600), 4);
}

// -- the summary ----------------------------------------------------------------------------------

TEST(summarize, adds_up_the_seconds_of_the_outage) {
  auto seconds = outage_and_then(repeated(100, 20));
  for (auto& second : seconds)
    second.attempts = 10;
  seconds[3].peak_concurrency = 99; // before
  seconds[75].peak_concurrency = 40;
  seconds[95].peak_concurrency = 60;
  seconds[80].attempts = 30; // within
  seconds[89].attempts = 25; // not wholly after
  seconds[91].attempts = 20;
  const auto summary = summarize(seconds, {10, 70, 89.5});

  EXPECT_EQ(summary.attempts_during_outage, 223U); // half of the last second's
  EXPECT_EQ(summary.peak_attempts, 20U);
  EXPECT_EQ(summary.peak_concurrency, 60U);
  EXPECT_DOUBLE_EQ(summary.rate_before, 100.0);
}

TEST(summarize, tells_what_99_of_100_waits_do_not_exceed) {
  std::vector<double> waits_s;
  for (int i = 200; i > 0; --i)
    waits_s.push_back(i);
  OutageSummary summary;
  add_waits(summary, waits_s, 3);

  EXPECT_EQ(summary.waiting, 200U);
  EXPECT_EQ(summary.still_waiting, 3U);
  EXPECT_DOUBLE_EQ(summary.extra_wait_mean_s, 100.5);
  EXPECT_DOUBLE_EQ(summary.extra_wait_p99_s, 198.0);
}

} // namespace backoff_actor::recovery_test
