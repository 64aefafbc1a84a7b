#include "policy_series.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace backoff_actor::policy_test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// -- what holds for all ------------------------------------------------------------------

class AllPolicies : public ::testing::TestWithParam<const char*> {};

TEST_P(AllPolicies, keep_between_zero_and_the_longest) {
  const auto policy = parse_policy(GetParam());
  for (std::uint64_t stream = 0; stream < 200; ++stream)
    for (const auto& delay : drawn_delays(policy, 100, Draws{20261, stream})) {
      ASSERT_GE(delay, 0ns);
      ASSERT_LE(delay, policy.longest());
    }
  for (const auto u : {0.0, 0x1.0p-53, 0.5, greatest_u})
    for (const auto& delay : delays(policy, 100, u)) {
      ASSERT_GE(delay, 0ns) << u;
      ASSERT_LE(delay, policy.longest()) << u;
    }
}

TEST_P(AllPolicies, are_pure) {
  const auto policy = parse_policy(GetParam());
  const auto same = parse_policy(GetParam());
  const auto first = policy.next(policy.start(), 0.3);
  static_cast<void>(policy.next(first.progress, 0.9));

  const auto again = same.next(same.start(), 0.3);

  EXPECT_EQ(first.delay, again.delay);
  EXPECT_EQ(first.progress, again.progress);
  EXPECT_EQ(policy, same);
}

TEST_P(AllPolicies, are_total_at_the_last_attempt_that_can_be_counted) {
  const auto policy = parse_policy(GetParam());
  for (const auto u : {0.0, 0.5, greatest_u}) {
    auto progress = policy.start();
    for (int i = 0; i < 3000; ++i) // the levels of all come to their ends
      progress = policy.next(progress, u).progress;
    const auto begins_again = progress.retries < 3000;
    if (!begins_again)
      progress.retries = UINT32_MAX - 1;
    progress.draws = UINT32_MAX;
    for (int i = 0; i < 3; ++i) {
      const auto step = policy.next(progress, u);
      ASSERT_GE(step.delay, 0ns);
      ASSERT_LE(step.delay, policy.longest());
      progress = step.progress;
    }
    EXPECT_TRUE(begins_again || progress.retries == UINT32_MAX);
  }
}

TEST_P(AllPolicies, begin_anew_with_the_draws_going_on) {
  const auto policy = parse_policy(GetParam());
  auto progress = policy.start();
  for (int i = 0; i < 5; ++i)
    progress = policy.next(progress, 0.6).progress;

  const auto restarted = policy.restart(progress);

  EXPECT_EQ(restarted.draws, progress.draws);
  EXPECT_EQ(restarted.retries, 0u);
  EXPECT_EQ(policy.next(restarted, 0.6).delay, policy.next(policy.start(), 0.6).delay);
}

TEST_P(AllPolicies, read_what_they_print) {
  const auto policy = parse_policy(GetParam());

  EXPECT_EQ(parse_policy(to_string(policy)), policy);
  EXPECT_EQ(to_string(policy), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
  policy, AllPolicies,
  ::testing::Values(
    "fixed(100ms)", "fixed(0ns)", "fixed(876000h)", "fixed(1s) | full_jitter",
    "fixed(1s) | additive_jitter(1s)", "fixed(876000h) | proportional_jitter(100%)",
    "fixed(1s) | gaussian_jitter(33%)", "linear(1s, +1s, cap 10s)", "linear(0ns, +0ns)",
    "linear(1s, +876000h)", "linear(1s, +1s, cap 10s) | equal_jitter",
    "exponential(100ms, x2, cap 30s)", "exponential(1ns, x1000)", "exponential(876000h, x1000)",
    "exponential(100ms, x2, cap 30s) | full_jitter",
    "exponential(100ms, x2, cap 30s) | equal_jitter",
    "exponential(100ms, x2, cap 30s) | proportional_jitter(20%)",
    "exponential(100ms, x2, cap 30s) | additive_jitter(30s)",
    "exponential(100ms, x2, cap 30s) | gaussian_jitter(10%)",
    "exponential(1ns, x1.5, cap 7ns) | proportional_jitter(100%)",
    "exponential(876000h, x2) | gaussian_jitter(30%)", "decorrelated(100ms, x3, cap 20s)",
    "decorrelated(1ns, x1000)", "decorrelated(1s, x1, cap 2s)", "decorrelated(876000h, x3)",
    "random_slots(10ms, ceiling 10)", "random_slots(10ms, ceiling 10, stay)",
    "random_slots(1ns, ceiling 62, stay)", "ethernet(51.2us, ceiling 10)",
    "ethernet(1ns, ceiling 53)", "memorystore(max 64s)", "memorystore(max 1ns)",
    "memorystore(max 876000h)", "seed002(100ms, x2, cap 15min, jitter 10%)",
    "seed002(1ns, x1, cap 438000h, jitter 12%)", "seed002(1s, x1000, cap 1s, jitter 0%)",
    "steps(20s, 5min, 30min)", "steps(0ns)", "steps(1ms, 2ms, 3ms, 4ms, 5ms, 6ms, 7ms, 8ms)",
    "steps(4294967.295s, 1s) | proportional_jitter(100%)", "polynomial(15s, +1s, ^4)",
    "polynomial(0ns, +876000h, ^10)", "polynomial(0ns, +2s, ^2, cap 10min) | full_jitter",
    "exponential(1s, x2, exponent 15)", "exponential(1s, x1000, exponent 1000) | equal_jitter",
    "exponential(100ms, x2, cap 30s) | additive_jitter(30%)",
    "exponential(100ms, x2, cap 30s) | additive_jitter(30%, cap_first)",
    "exponential(876000h, x2) | additive_jitter(100%, cap_first)",
    "exponential(876000h, x2) | additive_jitter(876000h, cap_last)",
    "exponential(300ms, x2, cap 2s) | full_jitter(cap_last)",
    "exponential(1s, x2, cap 5s) | gaussian_jitter(33%, cap_last)",
    "exponential(1s, x2, cap 32768s, exponent 15) | additive_jitter(100%, cap_last)",
    "linear(1s, +1s, cap 10s) | additive_jitter(9s, per_retry, cap_last)",
    "polynomial(15s, +1s, ^4) | additive_jitter(876000h, per_retry, cap_last) | whole_seconds",
    "exponential(300ms, x2, cap 30s) | proportional_jitter(20%, carried, cap_last)",
    "exponential(876000h, x2) | equal_jitter(carried)",
    "exponential(1ns, x1) | additive_jitter(876000h, carried)",
    "exponential(1.6s, x1.6, cap 2min) | proportional_jitter(20%, carried, cap_first) | "
    "first_wait(1s)",
    "exponential(200ms, x2, cap 2min) | first_wait(0ns, times 32)",
    "exponential(1s, x2, cap 10min) | full_jitter | whole_seconds",
    "exponential(100ms, x1.1, cap 1.5s) | equal_jitter(cap_first) | whole_seconds",
    "fixed(1.5s) | proportional_jitter(50%) | first_wait(1s, times 2) | whole_seconds"),
  [](const auto& row) { return std::to_string(row.index) + "_" + name_of(row.param); });

// -- means and variances -----------------------------------------------------------------

struct Moment {
  const char* policy;
  std::size_t attempt; // from 1
  double mean;         // s
  double variance;     // s^2
};

// The fixed seed makes it repeatable; the tolerance is five standard errors, with the fourth moment
// taken from the draws.
TEST(MomentsOfDraws, are_the_closed_forms) {
  const std::vector<Moment> rows{
    {"exponential(1s, x2) | full_jitter", 3, 2, 16.0 / 12},
    {"exponential(1s, x2) | equal_jitter", 3, 3, 16.0 / 48},
    {"exponential(1s, x2) | proportional_jitter(25%)", 3, 4, 1.0 / 3},
    {"exponential(1s, x2) | additive_jitter(1s)", 3, 4.5, 1.0 / 12},
    // 0.97334 is the variance of a standard normal distribution cut off at three deviations.
    {"exponential(1s, x2) | gaussian_jitter(10%)", 3, 4, 0.16 * 0.97334},
    {"exponential(1s, x2) | additive_jitter(30%)", 3, 4.6, 1.44 / 12},
    {"exponential(1s, x2, cap 4s) | proportional_jitter(25%, cap_first)", 9, 4, 1.0 / 3},
    // uniform over 0 to 8 s, of which one half is cut off at 4 s: 4 (1/2 + 1/4) and so on
    {"exponential(1s, x2, cap 4s) | full_jitter(cap_last)", 4, 3, 5.0 / 3},
    {"linear(1s, +1s) | additive_jitter(9s, per_retry, cap_last)", 3, 16.5, 729.0 / 12},
    {"exponential(1s, x2) | full_jitter | whole_seconds", 3, 2, 2},
    // 60 s and 3 times 0 to 9 s
    {"fixed(1min) | full_jitter | first_wait(7s)", 1, 7, 0},
    {"fixed(1min) | full_jitter | first_wait(7s)", 2, 30, 300},
    // each delay is the one before times 2 and a number from 0.8 to 1.2
    {"exponential(1s, x2) | proportional_jitter(20%, carried)", 1, 1, 0.04 / 3},
    {"exponential(1s, x2) | proportional_jitter(20%, carried)", 3, 4,
     16 * (1.0133333 * 1.0133333 * 1.0133333 - 1)},
    {"memorystore(max 64s)", 1, 1.5, 1.0 / 12},
    {"memorystore(max 64s)", 7, 64, 0},
    // r is cut off at 0.5 s: half of the draws are the maximum
    {"memorystore(max 4500ms)", 3, 4.375, 5.0 / 192},
    // the article's slots, in slots of a second
    {"random_slots(1s, ceiling 10, stay)", 1, 0.5, 0.25},
    {"random_slots(1s, ceiling 10, stay)", 2, 1.3333333, 1.5555556},
    {"random_slots(1s, ceiling 10, stay)", 3, 2.75, 7.1875},
    {"random_slots(1s, ceiling 10, stay)", 4, 5.2, 29.76},
    {"random_slots(1s, ceiling 10, stay)", 5, 9.5, 117.25},
    {"random_slots(1s, ceiling 10, stay)", 9, 101.3, 24487.21},
    {"random_slots(1s, ceiling 10, stay)", 12, 185.0909, 92470.26},
    {"ethernet(1s)", 1, 0.5, 0.25},
    {"ethernet(1s)", 3, 3.5, 5.25},
    {"ethernet(1s)", 5, 15.5, 85.25},
    {"ethernet(1s)", 10, 511.5, 87381.25},
    {"ethernet(1s)", 14, 511.5, 87381.25},
    {"decorrelated(1s, x3)", 1, 2, 1.0 / 3},
    {"decorrelated(1s, x3)", 2, 3.5, 3.083333},
    {"decorrelated(1s, x3)", 3, 5.75, 16.770833},
    {"decorrelated(1s, x3)", 4, 9.125, 72.317708},
    {"decorrelated(1s, x3)", 5, 14.1875, 274.923177},
    // F^n min, and E^2 ((1 + J^2)^n - 1)
    {"seed002(1s, x2, cap 1000s, jitter 10%)", 2, 2, 0.04},
    {"seed002(1s, x2, cap 1000s, jitter 10%)", 4, 8, 64 * 0.030301},
    {"seed002(1s, x2, cap 1s, jitter 10%)", 2, 1, 0.01}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.policy);
    constexpr std::uint64_t count = 200'000;
    const auto policy = parse_policy(row.policy);
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    for (std::uint64_t stream = 0; stream < count; ++stream) {
      const auto delay = drawn_delays(policy, row.attempt, Draws{4711, stream}).back();
      const auto x = static_cast<double>(delay.count()) * 1e-9 - row.mean;
      sum += x;
      squares += x * x;
      fourths += x * x * x * x;
    }
    const auto n = static_cast<double>(count);
    EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(row.variance / n) + 1e-9);
    const auto error_of_variance = std::sqrt((fourths / n - row.variance * row.variance) / n);
    EXPECT_NEAR(squares / n, row.variance, 5 * error_of_variance + 1e-12);
  }
}

// -- bad input ----------------------------------------------------------------------------

template <class Make>
std::string refused(Make make) {
  try {
    make();
  } catch (const InvalidArgument& thrown) {
    return thrown.what();
  }
  return "taken";
}

Duration longest_of(const Policy& policy) { return policy.longest(); }

TEST(policy, is_taken_as_its_text_wherever_one_is_taken) {
  EXPECT_EQ(longest_of("exponential(100ms, x2, cap 30s) | full_jitter"), 30s);
  EXPECT_EQ(longest_of(std::string{"fixed(7s)"}), 7s);
  const Policy policy = "linear(1s, +1s, cap 10s)";
  EXPECT_EQ(policy, (Policy{Linear{.first = 1s, .step = 1s, .cap = 10s}}));
}

TEST(policy, as_a_text_that_is_none_shows_the_place) {
  try {
    longest_of("exponential(100, x2)");
    FAIL() << "was taken";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.column(), 13u);
  }
}

TEST(policy, names_every_bad_parameter_with_its_range) {
  EXPECT_EQ(refused([] { Policy{Fixed{-1ns}}; }), "delay: got -1ns, allowed 0ns..876000h");
  EXPECT_EQ(refused([] {
              Policy{Linear{-1s, -1s, -2s}};
            }),
            "first: got -1s, allowed 0ns..876000h\n"
            "step: got -1s, allowed 0ns..876000h\n"
            "cap: got -2s, allowed 1ns..876000h");
  EXPECT_EQ(refused([] {
              Policy{Exponential{0s, 0.5, 876001h}};
            }),
            "first: got 0ns, allowed 1ns..876000h\n"
            "factor: got x0.5, allowed x1..x1000\n"
            "cap: got 876001h, allowed 0ns (the first)..876000h");
  EXPECT_EQ(refused([] {
              Policy{Decorrelated{1s, std::nan(""), 900ms}};
            }),
            "factor: got xnan, allowed x1..x1000\n"
            "cap: got 900ms, allowed 1s (the first)..876000h");
  EXPECT_EQ(refused([] {
              Policy{RandomSlots{0s, 63}};
            }),
            "slot_time: got 0ns, allowed 1ns..24h\nceiling: got 63, allowed 1..62");
  EXPECT_EQ(refused([] {
              Policy{RandomSlots{1s, 40}};
            }),
            "ceiling: got 40, allowed 1..33 with a slot_time of 1s, for waits below 292 years");
  EXPECT_EQ(refused([] {
              Policy{Ethernet{25h, 0}};
            }),
            "slot_time: got 25h, allowed 1ns..24h\nceiling: got 0, allowed 1..53");
  EXPECT_EQ(refused([] { Policy{Memorystore{0s}}; }), "max: got 0ns, allowed 1ns..876000h");
  EXPECT_EQ(refused([] {
              Policy{Seed002{2s, 0, 1s, 0.5}};
            }),
            "factor: got x0, allowed x1..x1000\n"
            "cap: got 1s, allowed 2s (the min)..438000h\n"
            "jitter: got 50%, allowed 0%..12%, beyond which a delay could be negative");
}

TEST(policy, names_a_bad_jitter_with_its_range) {
  const Policy policy = Exponential{.first = 1s, .cap = 10s};

  EXPECT_EQ(refused([&] { policy | proportional_jitter(0); }),
            "proportional_jitter: got 0%, allowed more than 0%, up to 100%");
  EXPECT_EQ(refused([&] { policy | proportional_jitter(std::nan("")); }),
            "proportional_jitter: got nan%, allowed more than 0%, up to 100%");
  EXPECT_EQ(refused([&] { policy | additive_jitter(11s); }),
            "additive_jitter: got 11s, allowed 0ns..10s, the cap, in whole nanoseconds");
  EXPECT_EQ(refused([&] { policy | gaussian_jitter(0.5); }),
            "gaussian_jitter: got 50%, allowed more than 0%, up to a third, beyond which a delay "
            "could be negative");
}

TEST(policy, names_a_bad_table_power_or_exponent_with_its_range) {
  EXPECT_EQ(refused([] {
              Steps{-1ms, 1500us, 1194h};
            }),
            "step 1: got -1ms, allowed 0ns..4294967.295s, in whole milliseconds\n"
            "step 2: got 1.5ms, allowed 0ns..4294967.295s, in whole milliseconds\n"
            "step 3: got 1194h, allowed 0ns..4294967.295s, in whole milliseconds");
  EXPECT_EQ(refused([] { Steps{1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s}; }),
            "steps: got 9, allowed 1..8");
  EXPECT_EQ(refused([] { Steps{std::span<const Duration>{}}; }), "steps: got 0, allowed 1..8");
  EXPECT_EQ(refused([] {
              Policy{Polynomial{-1s, 876001h, 11, 0s}};
            }),
            "first: got -1s, allowed 0ns..876000h\n"
            "step: got 876001h, allowed 0ns..876000h\n"
            "cap: got 0ns, allowed 1ns..876000h\n"
            "power: got ^11, allowed ^1..^10");
  EXPECT_EQ(refused([] { Policy{Exponential{.first = 1s, .exponent = -1}}; }),
            "exponent: got -1, allowed 0..1000, with 0 for none");
}

TEST(policy, names_what_cannot_be_added_to_it) {
  const Policy growing = Exponential{.first = 1s, .cap = 10s};

  EXPECT_EQ(refused([&] { growing | additive_jitter(1.5); }),
            "additive_jitter: got 150%, allowed more than 0%, up to 100%");
  EXPECT_EQ(refused([&] { growing | additive_jitter(876001h).cap_first(); }),
            "additive_jitter: got 876001h, allowed 0ns..876000h, in whole nanoseconds");
  EXPECT_EQ(refused([&] { growing | additive_jitter_per_retry(1s).cap_first(); }),
            "per_retry: got cap_first, allowed cap_last, since it grows beyond any cap");
  EXPECT_EQ(refused([&] { growing | no_jitter.cap_first(); }),
            "no_jitter: got no_jitter(cap_first), allowed no amount, which is 0, and nothing else");
  EXPECT_EQ(refused([] { Fixed{1s} | full_jitter.cap_last(); }),
            "jitter: got full_jitter(cap_last), allowed no order of cap and jitter, since "
            "fixed(1s) has no cap");
  EXPECT_EQ(refused([] { Linear{} | equal_jitter.carried(); }),
            "carried: got equal_jitter(carried), allowed none, since only exponential takes it");
  EXPECT_EQ(refused([&] { growing | proportional_jitter(0.6).carried(); }),
            "carried: got proportional_jitter(60%, carried), allowed a jitter whose shortest draw, "
            "40% of the delay, times the factor, x2, is at least 1, or delays could shrink to "
            "nothing");
  EXPECT_EQ(refused([&] { growing | additive_jitter_per_retry(1s).carried(); }),
            "carried: got additive_jitter(1s, per_retry, carried, cap_last), allowed a jitter that "
            "does not grow by itself");
  EXPECT_EQ(refused([&] { growing | first_wait(11s); }),
            "first_wait: got 11s, allowed 0ns..10s, in whole milliseconds");
  EXPECT_EQ(refused([&] { growing | first_wait(1us); }),
            "first_wait: got 1us, allowed 0ns..10s, in whole milliseconds");
  EXPECT_EQ(refused([&] { growing | first_wait(1s, 33); }), "times: got 33, allowed 1..32");
  EXPECT_EQ(refused([&] { growing | first_wait(1s, 0); }), "times: got 0, allowed 1..32");
  EXPECT_EQ(refused([&] { growing | first_wait(1s) | first_wait(2s); }),
            "first_wait: got 2s, allowed none, since there is first_wait(1s)");
  EXPECT_EQ(refused([&] { growing | first_wait(1500ms) | whole_seconds; }),
            "first_wait: got 1.5s, allowed 0ns..10s, in whole seconds");
  EXPECT_EQ(refused([&] { growing | gaussian_jitter(0.1) | whole_seconds; }),
            "whole_seconds: got gaussian_jitter(10%), allowed a jitter that is uniform, or none");
  EXPECT_EQ(refused([] { Policy{Memorystore{}} | first_wait(1s); }),
            "first_wait: got 1s, allowed none, since memorystore(max 64s) draws by itself");
  EXPECT_EQ(refused([] { Policy{Memorystore{}} | whole_seconds; }),
            "whole_seconds: got whole_seconds, allowed none, since memorystore(max 64s) draws by "
            "itself");
}

TEST(policy, keeps_all_parts_in_whichever_order_they_come) {
  const auto policy = Exponential{.first = 1s} | full_jitter | first_wait(2s, 3) | whole_seconds;

  EXPECT_EQ(Policy{Exponential{.first = 1s}} | whole_seconds | first_wait(2s, 3) | full_jitter,
            policy);
  EXPECT_EQ(policy.first_wait(), (FirstWait{2s, 3}));
  EXPECT_EQ(policy.seconds(), Seconds::whole);
  EXPECT_NE(policy, (Exponential{.first = 1s} | full_jitter | first_wait(2s, 3)));
  EXPECT_NE(policy, (Exponential{.first = 1s} | full_jitter | first_wait(2s, 2) | whole_seconds));
}

TEST(policy, says_the_longest_delay_for_each_order_of_cap_and_jitter) {
  EXPECT_EQ(longest_of("exponential(1s, x2, cap 10s) | additive_jitter(50%)"), 10s);
  EXPECT_EQ(longest_of("exponential(1s, x2, cap 10s) | additive_jitter(50%, cap_first)"), 15s);
  EXPECT_EQ(longest_of("exponential(1s, x2, cap 10s) | additive_jitter(50%, cap_last)"), 10s);
  EXPECT_EQ(longest_of("exponential(1s, x2, exponent 3) | additive_jitter(50%, cap_first)"), 12s);
  EXPECT_EQ(longest_of("exponential(1s, x2, exponent 3) | additive_jitter(50%, cap_last)"), 12s);
  EXPECT_EQ(longest_of("steps(1s, 4s, 2s) | additive_jitter(50%)"), 6s);
  EXPECT_EQ(longest_of("exponential(1s, x2, cap 3500ms) | whole_seconds"), 3s);
}

TEST(policy, takes_one_jitter_where_it_does_not_draw_itself) {
  EXPECT_EQ(refused([] { Policy{Fixed{1s}} | full_jitter | equal_jitter; }),
            "jitter: got equal_jitter, allowed none, since there is full_jitter");
  for (const auto* text :
       {"decorrelated(1s, x3)", "random_slots(10ms, ceiling 10)", "ethernet(51.2us, ceiling 10)",
        "memorystore(max 64s)", "seed002(100ms, x2, cap 15min, jitter 10%)"})
    EXPECT_EQ(refused([&] { parse_policy(text) | full_jitter; }),
              "jitter: got full_jitter, allowed none, since " + std::string{text}
                + " draws by itself");
}

TEST(policy, is_the_article_s_by_default) {
  EXPECT_EQ(to_string(Policy{}), "random_slots(10ms, ceiling 10)");
}

TEST(policy, says_whether_it_is_random) {
  for (const auto* text :
       {"fixed(1s)", "exponential(1s, x2)", "seed002(1s, x2, cap 2s, jitter 0%)"})
    EXPECT_FALSE(parse_policy(text).is_random()) << text;
  for (const auto* text : {"fixed(1s) | full_jitter", "seed002(1s)", "memorystore", "ethernet",
                           "random_slots", "decorrelated(1s)"})
    EXPECT_TRUE(parse_policy(text).is_random()) << text;
}

TEST(policy, has_no_jitter_left_only_where_a_source_has_none) {
  const auto differ = [](const char* text) {
    const auto policy = parse_policy(text);
    return delays(policy, 50, 0.1).back() != delays(policy, 50, 0.9).back();
  };
  for (const auto* text :
       {"exponential(1s, x2, cap 1min) | full_jitter",
        "exponential(1s, x2, cap 1min) | equal_jitter",
        "exponential(1s, x2, cap 1min) | proportional_jitter(20%)",
        "exponential(1s, x2, cap 1min) | additive_jitter(1s)",
        "exponential(1s, x2, cap 1min) | gaussian_jitter(10%)", "decorrelated(1s, x3, cap 1min)"})
    EXPECT_TRUE(differ(text)) << text;
  EXPECT_FALSE(differ("memorystore(max 64s)"));
}

TEST(policy, of_seed_002_exceeds_its_cap_as_its_source_does) {
  const auto policy = parse_policy("seed002(1s, x2, cap 10s, jitter 10%)");

  EXPECT_THAT(delays(policy, 6, 0.975),
              ElementsAre(1s, ::testing::Gt(2s), ::testing::Gt(4s), ::testing::Gt(8s),
                          ::testing::Gt(11s), ::testing::Gt(11s)));
  EXPECT_EQ(policy.longest(), 18300ms);
}

TEST(policy, costs_sixteen_bytes_of_progress_and_no_destructor) {
  EXPECT_EQ(sizeof(Progress), 16u);
  EXPECT_TRUE(std::is_trivially_destructible_v<Progress>);
  EXPECT_LE(sizeof(Policy), 128u);
  EXPECT_TRUE(std::is_trivially_copyable_v<Policy>);
}

TEST(memorystore, retries_5xx_and_429_and_nothing_else) {
  for (const auto status : {429, 500, 503, 599})
    EXPECT_TRUE(Memorystore::is_retried(status)) << status;
  for (const auto status : {200, 301, 400, 404, 428, 430, 499, 600, 0, -500})
    EXPECT_FALSE(Memorystore::is_retried(status)) << status;
}

} // namespace

} // namespace backoff_actor::policy_test
