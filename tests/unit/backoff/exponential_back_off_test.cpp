#include "backoff_actor/backoff/exponential_back_off.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace backoff_actor::exponential_back_off_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

ExponentialBackOff with_seed(std::uint64_t seed) { return ExponentialBackOff{{.seed = seed}}; }

// The waits that step number `step` yields over a thousand seeds.
std::set<Duration> waits_of_step(int step) {
  std::set<Duration> result;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    auto backoff = with_seed(seed);
    for (int i = 0; i < step; ++i)
      backoff = backoff.next();
    EXPECT_EQ(backoff.resets(), 0u);
    EXPECT_EQ(backoff.retries(), static_cast<unsigned>(step));
    result.insert(backoff.wait_time());
  }
  return result;
}

// -- the article's own four tests, each really stepping through the slots -------

TEST(exponential_back_off, first_delay_is_0_or_1_times_the_slot_time) {
  EXPECT_THAT(waits_of_step(1), ElementsAre(0ms, 10ms));
}

TEST(exponential_back_off, second_delay_is_0_1_or_3_times_the_slot_time) {
  EXPECT_THAT(waits_of_step(2), ElementsAre(0ms, 10ms, 30ms));
}

TEST(exponential_back_off, third_delay_is_0_1_3_or_7_times_the_slot_time) {
  EXPECT_THAT(waits_of_step(3), ElementsAre(0ms, 10ms, 30ms, 70ms));
}

TEST(exponential_back_off, resets_beyond_the_ceiling_if_it_does_not_stay_there) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    auto backoff = with_seed(seed);
    for (int i = 0; i < 11; ++i)
      backoff = backoff.next();
    EXPECT_EQ(backoff.resets(), 1u);
    EXPECT_THAT(backoff.wait_time(), ::testing::AnyOf(0ms, 10ms));
  }
}

// -- the algorithm, step by step ------------------------------------------------

TEST(exponential_back_off, starts_at_slot_1_with_nothing_to_wait) {
  const ExponentialBackOff backoff;

  EXPECT_EQ(backoff.slot(), 1);
  EXPECT_EQ(backoff.wait_time(), 0ms);
  EXPECT_EQ(backoff.retries(), 0u);
  EXPECT_EQ(backoff.resets(), 0u);
  EXPECT_EQ(backoff.total_retries(), 0u);
  EXPECT_FALSE(backoff.is_started());
}

TEST(exponential_back_off, draws_the_exponent_evenly_with_the_slot_before_it_is_advanced) {
  const auto at_slot_2 = ExponentialBackOff{}.next(0.0);
  ASSERT_EQ(at_slot_2.slot(), 2);

  EXPECT_EQ(at_slot_2.next(0.0).wait_time(), 0ms);
  EXPECT_EQ(at_slot_2.next(0.33).wait_time(), 0ms);
  EXPECT_EQ(at_slot_2.next(0.34).wait_time(), 10ms);
  EXPECT_EQ(at_slot_2.next(0.66).wait_time(), 10ms);
  EXPECT_EQ(at_slot_2.next(0.67).wait_time(), 30ms);
  EXPECT_EQ(at_slot_2.next(0.999999).wait_time(), 30ms);
}

TEST(exponential_back_off, has_the_mean_and_longest_waits_of_its_documentation) {
  const std::vector<int> means{5, 13, 28, 52, 95, 171, 309, 558, 1013};
  const std::vector<int> longest{10, 30, 70, 150, 310, 630, 1270, 2550, 5110};
  ExponentialBackOff backoff;
  for (std::size_t step = 0; step < 9; ++step) {
    const auto draws = backoff.slot() + 1;
    auto sum = 0ns;
    for (int draw = 0; draw < draws; ++draw)
      sum += backoff.next((draw + 0.5) / draws).wait_time();
    EXPECT_EQ((sum / draws + 500us) / 1ms, means[step]) << "step " << step + 1;
    backoff = backoff.next(0.999999);
    EXPECT_EQ(backoff.wait_time() / 1ms, longest[step]) << "step " << step + 1;
  }
}

TEST(exponential_back_off, the_tenth_failure_resets_without_a_wait_and_counts_no_retry) {
  ExponentialBackOff backoff;
  for (int i = 0; i < 9; ++i)
    backoff = backoff.next(0.999999);
  ASSERT_EQ(backoff.slot(), 10);

  const auto after = backoff.next(0.999999);

  EXPECT_EQ(after.wait_time(), 0ms);
  EXPECT_EQ(after.slot(), 1);
  EXPECT_EQ(after.retries(), 0u);
  EXPECT_FALSE(after.is_started());
  EXPECT_EQ(after.resets(), 1u);
  EXPECT_EQ(after.total_retries(), 9u);
}

TEST(exponential_back_off, stays_at_the_ceiling_on_request_and_goes_on_drawing_there) {
  ExponentialBackOff backoff{{.stay_at_ceiling = true}};
  for (int i = 0; i < 9; ++i)
    backoff = backoff.next(0.0);
  std::set<Duration> waits;
  for (int i = 0; i < 11; ++i)
    waits.insert(backoff.next((i + 0.5) / 11).wait_time());

  EXPECT_EQ(backoff.next(0.999999).wait_time(), 10230ms);
  EXPECT_EQ(waits.size(), 11u);
  EXPECT_EQ(backoff.next(0.5).slot(), 10);
  EXPECT_EQ(backoff.next(0.5).retries(), 10u);
  EXPECT_EQ(backoff.next(0.5).resets(), 0u);
}

TEST(exponential_back_off, never_waits_with_a_ceiling_of_1_that_it_does_not_stay_at) {
  const auto after = ExponentialBackOff{{.ceiling = 1}}.next(0.999999);

  EXPECT_EQ(after.wait_time(), 0ms);
  EXPECT_EQ(after.resets(), 1u);
  EXPECT_EQ(after.total_retries(), 0u);
}

// -- a value --------------------------------------------------------------------

// The draws were computed by another program in another language.
TEST(exponential_back_off, gives_the_same_delays_on_every_platform) {
  std::vector<Duration> waits;
  auto backoff = with_seed(1);
  for (int i = 0; i < 9; ++i) {
    backoff = backoff.next();
    waits.push_back(backoff.wait_time());
  }
  EXPECT_THAT(waits, ElementsAre(0ms, 30ms, 0ms, 0ms, 70ms, 70ms, 30ms, 1270ms, 5110ms));
}

// -- the cap, and the far ends ---------------------------------------------------

TEST(exponential_back_off, never_exceeds_its_cap_at_the_largest_parameters) {
  for (const auto ceiling : {1, 2, 30, 62}) {
    const Duration slot_time = ceiling == 62 ? Duration{2} : Duration{1ns};
    ExponentialBackOff backoff{
      {.slot_time = slot_time, .ceiling = ceiling, .stay_at_ceiling = true}};
    const auto cap = slot_time * ((std::int64_t{1} << ceiling) - 1);
    for (int i = 0; i < 100; ++i) {
      backoff = backoff.next(std::nextafter(1.0, 0.0));
      ASSERT_GE(backoff.wait_time(), 0ns);
      ASSERT_LE(backoff.wait_time(), cap);
    }
    EXPECT_EQ(backoff.wait_time(), cap);
  }
}

// -- validation -------------------------------------------------------------------

TEST(exponential_back_off, refuses_what_its_formula_refuses) {
  const ExponentialBackOffSpec bad{.slot_time = 25h, .ceiling = -1};
  EXPECT_EQ(to_string(check(bad)),
            "slot_time: got 25h, allowed 1ns..24h\nceiling: got -1, allowed 1..62");
  EXPECT_THROW(ExponentialBackOff{bad}, InvalidArgument);
}

TEST(exponential_back_off, refuses_a_draw_that_is_none) {
  for (const auto u : {-0.1, 1.0, 2.0, std::nan("")})
    EXPECT_THROW(static_cast<void>(ExponentialBackOff{}.next(u)), InvalidArgument) << u;
  try {
    static_cast<void>(ExponentialBackOff{}.next(1.0));
  } catch (const InvalidArgument& thrown) {
    EXPECT_STREQ(thrown.what(), "u: got 1.000000, allowed 0 <= u < 1");
  }
}

TEST(exponential_back_off, takes_the_ends_of_its_ranges) {
  EXPECT_TRUE(check(ExponentialBackOffSpec{.slot_time = 1ns, .ceiling = 62}).empty());
  EXPECT_TRUE(check(ExponentialBackOffSpec{.slot_time = 24h, .ceiling = 1}).empty());
  EXPECT_TRUE(check(ExponentialBackOffSpec{.slot_time = 10ms, .ceiling = 39}).empty());
}

TEST(exponential_back_off, prints_the_coordinates_of_its_last_draw) {
  const ExponentialBackOff backoff{{.seed = 7, .stream = 3}};

  EXPECT_EQ(to_string(backoff), "slot 1/10, wait 0ns, retries 0, resets 0, total_retries 0");
  EXPECT_EQ(
    to_string(backoff.next(0.9).next(0.9)),
    "slot 3/10, wait 30ms, retries 2, resets 0, total_retries 2, draw (seed 7, stream 3, n 1)");
}

} // namespace backoff_actor::exponential_back_off_test
