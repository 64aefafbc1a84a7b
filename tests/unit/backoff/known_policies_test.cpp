// Known policies against what the real systems did. The numbers are delays that were recorded from
// the systems' own timers with every draw at the given number, or ranges that they were seen in.

#include "policy_series.hpp"

#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/backoff/parse_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace backoff_actor::policy_test {

namespace {

using namespace std::chrono_literals;

constexpr auto half = 0.5;

struct Recorded {
  const char* policy;
  double u;
  std::vector<double> expected; // ms

  friend void PrintTo(const Recorded& row, std::ostream* out) { *out << row.policy; }
};

double in_ms(Duration span) { return static_cast<double>(span.count()) * 1e-6; }

class KnownVectors : public ::testing::TestWithParam<Recorded> {};

// Most systems round to milliseconds, each in its own way: hence less than one of difference.
TEST_P(KnownVectors, are_those_of_the_system_to_the_millisecond) {
  const auto& row = GetParam();
  const auto given = delays(parse_policy(row.policy), row.expected.size(), row.u);

  for (std::size_t i = 0; i < given.size(); ++i)
    EXPECT_LT(std::abs(in_ms(given[i]) - row.expected[i]), 1) << "retry " << i + 1;
}

INSTANTIATE_TEST_SUITE_P(
  npm, KnownVectors,
  ::testing::Values(
    Recorded{"like cockatiel no-jitter", half, {100, 200, 400, 800, 1600}},
    Recorded{"like cockatiel half", half, {75, 150, 300, 600, 1200}},
    Recorded{"like cockatiel full", half, {50, 100, 200, 400, 800}},
    Recorded{"like p-retry", half, {1000, 2000, 4000, 8000, 16000}},
    Recorded{"exponential(1s, x2, cap 5s) | additive_jitter(100%, cap_last)", // maxTimeout 5000
             half,
             {1500, 3000, 5000, 5000, 5000}},
    Recorded{"like p-retry randomize", half, {1500, 3000, 6000, 12000, 24000}},
    Recorded{"like retry randomize", half, {1500, 3000, 6000, 12000, 24000}},
    Recorded{"like async-retry", half, {1500, 3000, 6000, 12000, 24000}},
    Recorded{"like exponential-backoff", half, {100, 200, 400, 800, 1600}},
    Recorded{"like exponential-backoff full", half, {50, 100, 200, 400, 800}},
    Recorded{"exponential(100ms, x2, cap 500ms) | full_jitter", half, {50, 100, 200, 250, 250}},
    Recorded{"like axios-retry", half, {0, 0, 0}},
    Recorded{"like axios-retry exponential", half, {220, 440, 880, 1760, 3520}},
    Recorded{"like got", half, {1050, 2050, 4050, 8050, 16050}},
    Recorded{"like ky", half, {300, 600, 1200, 2400, 4800}},
    Recorded{"like ky jitter", half, {150, 300, 600, 1200, 2400}},
    Recorded{"exponential(300ms, x2, cap 2s) | full_jitter(cap_last)", // backoffLimit 2000
             half,
             {150, 300, 600, 1200, 2000}},
    Recorded{"like undici", half, {500, 1000, 2000, 4000, 8000}},
    Recorded{"like aws-sdk-js", half, {25, 50, 100, 200, 400}},
    Recorded{"like aws-sdk-js throttling", half, {500, 1000, 2000, 4000, 8000}},
    Recorded{"like aws-sdk-js throttling", 0.999999, {999, 1999, 3999, 7999, 15999, 19999}},
    Recorded{"like azure-core", half, {750, 1500, 3000, 6000, 12000, 24000, 48000, 48000}},
    Recorded{"like gaxios", half, {100, 500, 1500, 3500, 7500}},
    Recorded{"like fetch-retry", half, {1000, 1000, 1000}},
    Recorded{"like grpc-js", half, {1000, 1600, 2560, 4096, 6554}},
    Recorded{"like grpc-js", 0, {1000, 1280, 1638, 2097, 2684}},
    Recorded{"like grpc-js", greatest_u, {1000, 1920, 3686, 7078, 13590}},
    Recorded{"like effect", half, {100, 200, 400, 800, 1600}},
    Recorded{"exponential(100ms, x2, cap 500ms)", half, {100, 200, 400, 500, 500}}, // min, spaced
    Recorded{"steps(100ms, 100ms, 200ms, 300ms, 500ms)", half, {100, 100, 200, 300, 500}},
    Recorded{"like ioredis", half, {150, 200, 300, 500, 900, 1700, 3300, 5100}},
    Recorded{"like kafkajs", half, {300, 600, 1200, 2400, 4800}},
    Recorded{"like kafkajs", 0, {240, 384}}, Recorded{"like kafkajs", greatest_u, {360, 864, 2074}},
    Recorded{"like nats.js", half, {2050, 2050, 2050, 2050, 2050}},
    Recorded{"like bullmq jitter", half, {75, 150, 300, 600, 1200}},
    Recorded{"like graphile-worker", half, {2718, 7389, 20086, 54598, 148413}},
    Recorded{"like groupmq", half, {562, 1125, 2250, 4500, 9000}}));

INSTANTIATE_TEST_SUITE_P(
  debian, KnownVectors,
  ::testing::Values(
    Recorded{"like tenacity exponential", half, {1000, 2000, 4000, 8000, 16000}},
    Recorded{"exponential(4s, x2, cap 10s) | first_wait(4s, times 2)", // min 4, max 10
             half,
             {4000, 4000, 4000, 8000, 10000}},
    Recorded{"like celery no-jitter", half, {1000, 2000, 4000, 8000, 16000, 32000, 64000}},
    Recorded{"exponential(1s, x2, cap 100s) | whole_seconds", // retry_backoff_max 100
             half,
             {1000, 2000, 4000, 8000, 16000, 32000, 64000, 100000, 100000}},
    Recorded{"like urllib3", half, {0, 200, 400, 800, 1600}},
    Recorded{"exponential(20s, x2, cap 2min) | first_wait(0s)", // backoff_factor 10
             half,
             {0, 20000, 40000, 80000, 120000}},
    Recorded{"like retrying", half, {200, 400, 800, 1600}},
    Recorded{"exponential(200ms, x2, cap 300ms)", half, {200, 300, 300, 300, 300}},
    Recorded{"like retry-go", half, {100, 200, 400, 800, 1600}},
    Recorded{"like supervisord", half, {1000, 2000, 3000}},
    Recorded{"like erlang-supervisor", half, {0, 0, 0}},
    Recorded{"like curl", half, {1000, 2000, 4000, 8000}},
    Recorded{"like wget", half, {1000, 2000, 3000}},
    Recorded{"like redis-py", half, {20, 40, 80, 160, 320}},
    Recorded{"like kombu", half, {2000, 4000, 6000, 8000, 10000}},
    Recorded{"like librdkafka", half, {100, 100, 100, 100, 100}},
    Recorded{"like ssh", half, {1000, 1000, 1000}},
    Recorded{"like autossh", half, {0, 0, 0, 0, 0, 2000, 8000, 18000, 32000}},
    Recorded{"like go-retryablehttp", half, {1000, 2000, 4000, 8000, 16000, 30000, 30000}},
    Recorded{"like rabbitmq-quorum", half, {0, 0, 0}}));

// It rounds up to milliseconds before it doubles. So its waits run ahead of the exact ones, by up
// to 2 ms, then 6 ms. Each follows from the recorded one before to that rounding.
TEST(known_policies, kafkajs_carries_its_jitter_and_only_its_rounding_differs) {
  const std::vector<double> shortest{240, 384, 616, 986, 1578};
  const std::vector<double> longest{360, 864, 2074, 4978, 11948};
  const auto policy = parse_policy("like kafkajs");
  for (const auto& [recorded, u] : {std::pair{shortest, 0.0}, std::pair{longest, greatest_u}}) {
    EXPECT_NEAR(in_ms(policy.next(policy.start(), u).delay), recorded[0], 1);
    for (std::size_t i = 1; i < recorded.size(); ++i) {
      const Progress after{2e6 * recorded[i - 1], static_cast<std::uint32_t>(i), 0};
      const auto delay = static_cast<double>(policy.next(after, u).delay.count()) * 1e-6;
      EXPECT_LE(delay, recorded[i] + 1e-3) << i + 1;
      EXPECT_GT(delay, recorded[i] - 2) << i + 1;
    }
  }
}

// -- ranges -------------------------------------------------------------------------------

struct Seen {
  const char* policy;
  std::vector<std::pair<double, double>> ranges; // ms; all that was seen
};

std::pair<double, double> at(double x) { return {x, x}; }

TEST(SeenRanges, lie_between_our_shortest_and_our_longest_delay) {
  // pg-boss measures from a moment that is up to half a second before the wait begins, so its
  // recorded ranges begin earlier than its formula; the ranges of the formula are below.
  const std::vector<Seen> rows{{"like effect jittered", {{80.006, 119.996}}},
                               {"like restate",
                                {at(521), at(1280), at(2109), at(4139), at(8565), at(16747),
                                 at(38145), at(69088), at(68570), at(60802)}},
                               {"like grpc", {at(1000), at(1500), at(2280), at(4660), at(7320)}},
                               {"like grpc-js retry", {at(108), at(207), at(404), at(804)}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    const auto& [text, ranges] = row;
    const auto policy = parse_policy(text);
    const auto shortest = delays(policy, ranges.size(), 0);
    const auto longest = delays(policy, ranges.size(), greatest_u);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_LE(static_cast<double>(shortest[i].count()) * 1e-6, ranges[i].first) << i + 1;
      EXPECT_GE(static_cast<double>(longest[i].count()) * 1e-6, ranges[i].second) << i + 1;
    }
  }
}

struct Ends {
  const char* policy;
  std::vector<std::pair<double, double>> ends; // s
};

TEST(EndsOfRanges, are_those_of_the_system) {
  const std::vector<Ends> rows{
    {"like tenacity", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}, {0, 60}, {0, 60}}},
    {"like tenacity exponential_jitter",
     {{1, 2}, {2, 3}, {4, 5}, {8, 9}, {16, 17}, {32, 33}, {64, 65}, {128, 129}}},
    {"exponential(1s, x2, cap 3s) | additive_jitter(1s, cap_last)", {{1, 2}, {2, 3}, {3, 3}}},
    {"like python-backoff", {{0, 1}, {0, 2}, {0, 4}, {0, 8}}},
    {"exponential(1s, x2, cap 3s) | full_jitter", {{0, 1}, {0, 2}, {0, 3}, {0, 3}}},
    {"like cenkalti-backoff", {{0.25, 0.75}, {0.375, 1.125}, {0.5625, 1.6875}, {0.84375, 2.53125}}},
    {"like rust-backoff", {{0.25, 0.75}, {0.375, 1.125}, {0.5625, 1.6875}, {0.84375, 2.53125}}},
    {"like pg-boss", {{1, 2}, {2, 4}, {4, 8}, {8, 16}, {16, 32}}},
    {"like nats.js tls", {{2, 3}, {2, 3}}},
    {"like sidekiq", {{15, 24}, {16, 34}, {31, 58}, {96, 132}}},
    {"like celery", {{0, 1}, {0, 2}, {0, 4}}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    const auto& [text, ends] = row;
    const auto policy = parse_policy(text);
    const auto shortest = delays(policy, ends.size(), 0);
    const auto longest = delays(policy, ends.size(), greatest_u);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(shortest[i].count()) * 1e-9, ends[i].first, 1e-3) << i + 1;
      EXPECT_NEAR(static_cast<double>(longest[i].count()) * 1e-9, ends[i].second, 1e-3) << i + 1;
    }
  }
}

TEST(known_policies, cenkalti_waits_up_to_half_a_minute_more_than_its_cap) {
  for (const auto* text : {"like cenkalti-backoff", "like rust-backoff"}) {
    EXPECT_EQ(delays(parse_policy(text), 30, 0).back(), 30s);
    EXPECT_NEAR(in_ms(delays(parse_policy(text), 30, greatest_u).back()), 90'000, 1);
  }
}

TEST(known_policies, grpc_js_waits_up_to_144_s_with_a_cap_of_120_s) {
  EXPECT_EQ(parse_policy("like grpc-js").longest(), 144s);
  EXPECT_NEAR(in_ms(delays(parse_policy("like grpc-js"), 60, greatest_u).back()), 144'000, 1);
  const auto retry = delays(parse_policy("like grpc-js retry"), 9, 0);
  EXPECT_EQ(retry.front(), 80ms);
  EXPECT_EQ(retry.back(), 8s); // of a maxBackoff of 10 s
}

TEST(known_policies, sidekiq_s_twenty_fifth_retry_waits_four_days) {
  EXPECT_EQ(delays(parse_policy("like sidekiq"), 25, 0).back(), 331'791s);
  EXPECT_EQ(delays(parse_policy("like sidekiq"), 25, greatest_u).back(), 332'016s);
}

TEST(known_policies, graphile_worker_stops_growing_at_its_tenth_retry) {
  const auto waits = delays(parse_policy("like graphile-worker"), 12, half);
  EXPECT_NEAR(in_ms(waits[9]), 22'026'466, 20); // e^10 s; the first of ours has nine decimals
  EXPECT_EQ(waits[11], waits[9]);
}

TEST(known_policies, pg_boss_stops_growing_at_its_sixteenth_retry) {
  EXPECT_EQ(delays(parse_policy("like pg-boss"), 20, 0).back(), 32768s);
  EXPECT_EQ(parse_policy("like pg-boss").longest(), 65536s);
}

// -- distributions ------------------------------------------------------------------------

// Returns how often each delay comes, in whole seconds.
std::map<std::int64_t, int> counts(const char* text, std::size_t retry, int draws) {
  const auto policy = parse_policy(text);
  std::map<std::int64_t, int> result;
  for (auto stream = 0; stream < draws; ++stream) {
    const auto delay =
      drawn_delays(policy, retry, Draws{61, static_cast<std::uint64_t>(stream)}).back();
    EXPECT_EQ(delay % 1s, 0s);
    ++result[delay / 1s];
  }
  return result;
}

TEST(known_policies, celery_draws_each_whole_second_up_to_the_delay_equally_often) {
  for (const auto retry : {1u, 2u, 3u}) {
    const auto seconds = std::int64_t{1} << (retry - 1);
    const auto seen = counts("like celery", retry, 60'000);
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(seconds + 1));
    EXPECT_EQ(seen.begin()->first, 0);
    EXPECT_EQ(seen.rbegin()->first, seconds);
    const auto expected = 60'000.0 / static_cast<double>(seconds + 1);
    for (const auto& [second, count] : seen)
      EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << second;
  }
}

TEST(known_policies, sidekiq_draws_ten_delays_that_lie_a_retry_s_number_apart) {
  const std::vector<std::int64_t> lowest{15, 16, 31, 96};
  for (std::size_t retry = 1; retry <= lowest.size(); ++retry) {
    const auto seen = counts("like sidekiq", retry, 50'000);
    ASSERT_EQ(seen.size(), 10u);
    auto expected = lowest[retry - 1];
    for (const auto& [second, count] : seen) {
      EXPECT_EQ(second, expected);
      EXPECT_NEAR(count, 5000, 350) << second;
      expected += static_cast<std::int64_t>(retry);
    }
  }
}

// -- names --------------------------------------------------------------------------------

TEST(known_policies, print_themselves_as_the_formulas_that_they_are) {
  for (const auto& x : known_policies()) {
    const auto text = std::string{x.name} + (x.variant.empty() ? "" : " ") + std::string{x.variant};
    const auto policy = parse_policy("like " + text);
    EXPECT_EQ(to_string(policy), x.policy) << text;
    EXPECT_EQ(like(text).policy, policy) << text;
    EXPECT_EQ(like(text + " " + std::string{x.version}).known.policy, x.policy) << text;
    EXPECT_FALSE(x.version.empty()) << text;
  }
}

TEST(known_policies, are_listed_by_name) {
  const auto all = known_policies();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(like, takes_a_name_a_variant_and_a_version_or_its_beginning) {
  EXPECT_EQ(like("sidekiq 6.4").known.version, "6.4.1");
  EXPECT_EQ(like("sidekiq 6").known.version, "6.4.1");
  EXPECT_EQ(like("aws-sdk-js").known.variant, "transient");
  EXPECT_EQ(like("aws-sdk-js throttling 3").known.variant, "throttling");
  EXPECT_EQ(like("  tenacity   exponential ").known.variant, "exponential");
  EXPECT_EQ(like("retry").known.name, "retry");
}

TEST(like, counts_attempts_as_the_system_does) {
  EXPECT_EQ(like("celery").limits.max_attempts, 4u);     // 3 retries
  EXPECT_EQ(like("aws-sdk-js").limits.max_attempts, 3u); // 3 calls
  EXPECT_EQ(like("cockatiel").limits.max_attempts, std::nullopt);
  EXPECT_EQ(like("cenkalti-backoff").limits.max_elapsed, 15min);
}

TEST(like, is_taken_where_a_policy_is_and_can_be_added_to) {
  const Policy policy = like("urllib3");
  EXPECT_EQ(to_string(policy), "exponential(200ms, x2, cap 2min) | first_wait(0ns)");
  EXPECT_EQ(to_string(like("aws-sdk-js")),
            "exponential(50ms, x2, cap 20s) | full_jitter; max_attempts 3, "
            "retry_after up to 5min");
  EXPECT_EQ(to_string(parse_policy("like curl | full_jitter")),
            "exponential(1s, x2, cap 10min) | full_jitter");
  EXPECT_EQ(to_string(parse_policy("like curl|first_wait(0s)")),
            "exponential(1s, x2, cap 10min) | first_wait(0ns)");
}

std::string refused(const char* name) {
  try {
    like(name);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "taken";
}

TEST(like, says_which_names_variants_and_versions_there_are) {
  using ::testing::HasSubstr;
  using ::testing::StartsWith;
  EXPECT_THAT(refused("selery"), StartsWith("like: got selery; did you mean celery?, allowed "
                                            "async-retry, autossh, aws-sdk-js, "));
  EXPECT_THAT(refused(""), StartsWith("like: got nothing, allowed async-retry, "));
  EXPECT_THAT(refused("celery"), "taken");
  EXPECT_EQ(refused("tenacity random"),
            "variant: got random; did you mean random_exponential?, allowed random_exponential, "
            "exponential or exponential_jitter");
  EXPECT_EQ(refused("sidekiq 7"), "version: got 7, allowed 6.4.1");
  EXPECT_EQ(refused("sidekiq 6.40"), "version: got 6.40, allowed 6.4.1");
  EXPECT_EQ(refused("pg-boss 12.3"), "version: got 12.3; did you mean 12.38.0?, allowed 12.38.0");
  EXPECT_EQ(refused("sidekiq 6.4 x"), "version: got x, allowed 6.4.1");
}

TEST(like, in_a_text_shows_the_place) {
  try {
    parse_policy("like sidekik | full_jitter");
    FAIL() << "was taken";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.column(), 6u);
    EXPECT_THAT(error.problem(), ::testing::StartsWith("like: got sidekik; did you mean sidekiq?"));
  }
  try {
    parse_policy("like celery | full_jitter");
    FAIL() << "was taken";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.problem(), "jitter: got another one, allowed none, since there is full_jitter");
  }
}

} // namespace

} // namespace backoff_actor::policy_test
