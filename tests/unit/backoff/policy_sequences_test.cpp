// The delays of every policy one after the other, written out.

#include "policy_series.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace backoff_actor::policy_test {

namespace {

// -- sequences without chance ---------------------------------------------------------

struct Sequence {
  const char* policy;
  double u;
  std::vector<double> expected; // s
};

TEST(Sequences, are_those_of_the_source) {
  const std::vector<Sequence> rows{
    {"fixed(100ms)", 0.7, {0.1, 0.1, 0.1}},
    {"fixed(0s)", 0.7, {0, 0}},
    {"linear(1s, +1s, cap 10s)", 0.7, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10}},
    {"linear(0s, +500ms)", 0.7, {0, 0.5, 1}},
    {"linear(1s, +0s)", 0.7, {1, 1}},
    {"exponential(100ms, x2, cap 30s)",
     0.7,
     {0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30}},
    {"exponential(1s, x1)", 0.7, {1, 1, 1}},
    {"exponential(1s, x2, exponent 3)", 0.7, {1, 2, 4, 8, 8}},
    {"exponential(1s, x2, cap 5s, exponent 3)", 0.7, {1, 2, 4, 5, 5}},
    {"steps(20s, 5min, 30min)", 0.7, {20, 300, 1800, 1800}},
    {"steps(3s, 1s, 2s) | full_jitter", 0.5, {1.5, 0.5, 1, 1}},
    {"steps(1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s)", 0.7, {1, 2, 3, 4, 5, 6, 7, 8, 8, 8}},
    {"polynomial(15s, +1s, ^4)", 0.7, {15, 16, 31, 96, 271}},
    {"polynomial(0s, +2s, ^2, cap 10s)", 0.7, {0, 2, 8, 10, 10}},
    {"polynomial(1s, +1s, ^1)", 0.7, {1, 2, 3, 4}},
    {"exponential(1s, x2, cap 2s) | first_wait(0s, times 2)", 0.7, {0, 0, 1, 2, 2}},
    {"steps(1s, 2s) | first_wait(0s)", 0.7, {0, 1, 2, 2}},
    {"polynomial(1s, +1s, ^2) | first_wait(500ms)", 0.7, {0.5, 1, 2, 5, 10}},
    // the orders of cap and jitter: below the cap, over it, all the same at it
    {"exponential(1s, x2, cap 4s) | additive_jitter(50%)", 0.5, {1.25, 2.5, 3.333333333}},
    {"exponential(1s, x2, cap 4s) | additive_jitter(50%, cap_first)", 0.5, {1.25, 2.5, 5, 5}},
    {"exponential(1s, x2, cap 4s) | additive_jitter(50%, cap_last)", 0.5, {1.25, 2.5, 4, 4}},
    {"exponential(1s, x2, cap 4s) | full_jitter(cap_last)", 0.25, {0.25, 0.5, 1, 2, 4, 4}},
    {"exponential(1s, x2, cap 4s) | full_jitter(cap_first)", 0.25, {0.25, 0.5, 1, 1}},
    // what memorystore does, composed
    {"exponential(1s, x2, cap 64s) | additive_jitter(1s, cap_last)",
     0.5,
     {1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64, 64}},
    {"linear(1s, +1s) | additive_jitter(2s, per_retry, cap_last)", 0.5, {2, 4, 6, 8}},
    {"linear(1s, +1s, cap 5s) | additive_jitter(2s, per_retry, cap_last)", 0.5, {2, 4, 5}},
    {"exponential(1s, x2, cap 4s) | proportional_jitter(50%, carried, cap_first)",
     0.25,
     {0.75, 1.125, 1.6875, 2.53125, 3, 3}},
    {"exponential(1s, x2, cap 4s) | proportional_jitter(50%, carried, cap_last)",
     0.75,
     {1.25, 3.125, 4, 4}},
    {"exponential(1s, x2) | additive_jitter(1s, carried)", 0.5, {1.5, 3.5, 7.5}},
    {"exponential(1s, x1.5) | whole_seconds", 0.5, {1, 1, 2, 3, 5}},
    {"exponential(1s, x2) | full_jitter | whole_seconds", 0.5, {1, 1, 2, 4, 8}},
    {"exponential(1s, x2) | full_jitter | whole_seconds", greatest_u, {1, 2, 4, 8}},
    {"exponential(1s, x2) | full_jitter | whole_seconds", 0, {0, 0, 0}},
    {"fixed(5s) | equal_jitter | whole_seconds", greatest_u, {4, 4}},
    {"fixed(5s) | additive_jitter(2s) | whole_seconds", greatest_u, {7, 7}},
    {"fixed(3s) | first_wait(1s) | whole_seconds", 0.5, {1, 3}},
    // resilience libraries, with their defaults
    {"exponential(1s, x2, cap 10s)", 0.7, {1, 2, 4, 8, 10}}, // tenacity
    {"exponential(2s, x2)", 0.7, {2, 4, 8}},                 // Polly
    {"exponential(500ms, x1.5, cap 1min)", 0.7, {0.5, 0.75, 1.125, 1.6875, 2.53125}},
    {"exponential(3s, x2, cap 30s)", 0.7, {3, 6, 12, 24, 30}},                      // Akka
    {"exponential(100ms, x2, cap 1s)", 0.7, {0.1, 0.2, 0.4, 0.8, 1, 1}},            // gRPC
    {"exponential(25ms, x2, cap 250ms)", 0.7, {0.025, 0.05, 0.1, 0.2, 0.25, 0.25}}, // Envoy
    // the two figures of seed 002, and the constants of its program, without jitter
    {"seed002(100ms, x2.7, cap 10min, jitter 0%)",
     0.7,
     {0.1, 0.27, 0.729, 1.9683, 5.31441, 14.348907, 38.7420489, 104.60353203, 282.429536481, 600}},
    {"seed002(1s, x1.5, cap 5min, jitter 0%)",
     0.7,
     {1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 11.390625, 17.0859375, 25.62890625, 38.443359375,
      57.665039063}},
    {"exponential(100ms, x2.71828, cap 5min)", 0.7, {0.1, 0.271828, 0.738904616}},
    // seed 001
    {"exponential(1s, x2)", 0.7, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}},
    {"exponential(1s, x1.1)", 0.7, {1, 1.1, 1.21}},
    // seeds 000 and 004, r at its ends and in the middle
    {"memorystore(max 64s)", 0, {1, 2, 4, 8, 16, 32, 64, 64}},
    {"memorystore(max 64s)", 0.5, {1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64, 64}},
    {"memorystore(max 64s)", greatest_u, {2, 3, 5, 9, 17, 33, 64, 64}},
    {"memorystore(max 32s)", 0.5, {1.5, 2.5, 4.5, 8.5, 16.5, 32, 32}},
    {"memorystore(max 4500ms)", greatest_u, {2, 3, 4.5, 4.5}},
    // the article, exp by u: the middle one of an odd number, the last one
    {"random_slots(10ms, ceiling 4)", 0.5, {0.01, 0.01, 0.03, 0, 0.01}},
    {"random_slots(10ms, ceiling 4)", greatest_u, {0.01, 0.03, 0.07, 0, 0.01}},
    {"random_slots(10ms, ceiling 4, stay)", greatest_u, {0.01, 0.03, 0.07, 0.15, 0.15}},
    {"random_slots(10ms, ceiling 4, stay)", 0, {0, 0, 0, 0, 0}},
    {"random_slots(10ms, ceiling 1)", 0.9, {0, 0, 0}},
    {"ethernet(1us, ceiling 3)", greatest_u, {1e-6, 3e-6, 7e-6, 7e-6}},
    {"ethernet(1us, ceiling 3)", 0.5, {1e-6, 2e-6, 4e-6, 4e-6}},
    {"ethernet(1us, ceiling 3)", 0, {0, 0, 0, 0}},
    {"decorrelated(1s, x3, cap 10s)", 0, {1, 1, 1}},
    {"decorrelated(1s, x3, cap 10s)", 0.5, {2, 3.5, 5.5, 5.5}},
    {"decorrelated(1s, x3, cap 1s)", 0.5, {1, 1, 1}},
    // jitters: at their lower ends and in the middle
    {"exponential(1s, x2, cap 4s) | no_jitter", 0.5, {1, 2, 4, 4}},
    {"exponential(1s, x2, cap 4s) | full_jitter", 0, {0, 0, 0}},
    {"exponential(1s, x2, cap 4s) | full_jitter", 0.5, {0.5, 1, 2, 2}},
    {"exponential(1s, x2, cap 4s) | equal_jitter", 0, {0.5, 1, 2, 2}},
    {"exponential(1s, x2, cap 4s) | equal_jitter", 0.5, {0.75, 1.5, 3, 3}},
    {"exponential(1s, x2, cap 5s) | proportional_jitter(25%)", 0, {0.75, 1.5, 3, 3}},
    {"exponential(1s, x2, cap 5s) | proportional_jitter(25%)", 0.5, {1, 2, 4, 4}},
    {"exponential(1s, x2, cap 4s) | additive_jitter(1s)", 0, {1, 2, 3, 3}},
    {"exponential(1s, x2, cap 4s) | additive_jitter(1s)", 0.5, {1.5, 2.5, 3.5, 3.5}},
    {"linear(1s, +1s, cap 4s) | additive_jitter(4s)", 0.5, {2, 2, 2}},
    {"exponential(1s, x2, cap 13s) | gaussian_jitter(10%)", 0.5, {1, 2, 4, 8, 10, 10}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    const auto given = delays(parse_policy(row.policy), row.expected.size(), row.u);

    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_EQ(given[i], Duration{std::llround(row.expected[i] * 1e9)}) << "retry " << i + 1;
  }
}

// -- the same on every platform -------------------------------------------------------

struct Drawn {
  const char* policy;
  std::vector<std::int64_t> expected; // ns
};

TEST(DrawnDelays, are_the_same_nanosecond_everywhere) {
  const std::vector<Drawn> rows{
    {"exponential(100ms, x2, cap 30s) | full_jitter",
     {6514467, 11120060, 261848001, 13296387, 418744068, 602056329}},
    {"exponential(100ms, x2, cap 30s) | equal_jitter",
     {53257233, 105560030, 330924000, 406648193, 1009372034, 1901028164}},
    {"exponential(100ms, x1.7, cap 30s) | proportional_jitter(20%)",
     {82605786, 139780820, 306874072, 396306257, 755602808, 1242739836}},
    {"linear(1s, +1s, cap 10s) | additive_jitter(1s)",
     {1065144673, 2055600302, 3654620004, 4016620483, 5261715042, 6188142603}},
    {"fixed(1s) | gaussian_jitter(10%)",
     {849620873, 841778026, 1039669191, 790137724, 936390838, 911835431}},
    // at the cap, where a fused multiply-add would move the delay
    {"fixed(876000h) | gaussian_jitter(22%)",
     {1271254003236379776, 1238475059041129344, 2065555228573442656}},
    {"decorrelated(100ms, x3, cap 20s)",
     {113028934, 113293298, 257030177, 111153849, 161100398, 172115284}},
    {"random_slots(10ms, ceiling 10)", {0, 0, 30000000, 0, 10000000, 10000000}},
    {"ethernet(51.2us, ceiling 10)", {0, 0, 256000, 0, 409600, 614400}},
    {"memorystore(max 64s)",
     {1065144673, 2055600302, 4654620005, 8016620483, 16261715042, 32188142603}},
    {"seed002(100ms, x2.7, cap 10min, jitter 10%)",
     {100000000, 226993768, 637265149, 1354267211, 3423210898, 8424912327}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    std::vector<std::int64_t> given;
    for (const auto& delay :
         drawn_delays(parse_policy(row.policy), row.expected.size(), Draws{7, 3}))
      given.push_back(delay.count());

    EXPECT_EQ(given, row.expected);
  }
}

} // namespace

} // namespace backoff_actor::policy_test
