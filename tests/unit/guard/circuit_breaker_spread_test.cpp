// When those who are held back are told to come again.

#include "guard_fixture.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace backoff_actor::guard_test {

using Instants = std::vector<Instant>;

CircuitBreakerOptions spread_over(Duration spread, std::uint32_t probes = 1) {
  auto options = touchy();
  options.spread = spread;
  options.probes = probes;
  return options;
}

// What `count` callers are told at an instant.
Instants told(CircuitBreaker& breaker, Duration now, int count) {
  Instants result;
  for (auto i = 0; i < count; ++i)
    result.push_back(until_of(breaker.admit(at(now))));
  return result;
}

Instants told_while_open(const CircuitBreakerOptions& options, std::uint64_t seed,
                         int count = 1000) {
  CircuitBreaker breaker{options, seed};
  fail(breaker, 0s);
  return told(breaker, 1s, count);
}

TEST(spread, the_first_come_as_the_probes_when_the_time_is_over) {
  for (const auto probes : {1u, 3u}) {
    const auto until = told_while_open(spread_over(10s, probes), 7);
    EXPECT_EQ(std::count(until.begin(), until.begin() + probes, at(5s)), probes);
    EXPECT_EQ(std::count(until.begin(), until.end(), at(5s)), probes) << "and nobody else";
  }
}

TEST(spread, no_tenth_of_it_holds_more_than_twice_its_share) {
  for (const auto seed : {1u, 2u, 3u, 4u, 5u}) {
    const auto until = told_while_open(spread_over(10s), seed);
    std::array<int, 10> tenths{};
    for (const auto instant : until) {
      ASSERT_GE(instant, at(5s));
      ASSERT_LT(instant, at(15s));
      ++tenths.at(static_cast<std::size_t>((instant - at(5s)) / 1s));
    }
    EXPECT_LT(*std::max_element(tenths.begin(), tenths.end()), 200) << "seed " << seed;
    EXPECT_GT(*std::min_element(tenths.begin(), tenths.end()), 0) << "seed " << seed;
  }
}

TEST(spread, is_another_for_each_caller_and_the_same_for_each_seed) {
  const auto until = told_while_open(spread_over(10s), 3);
  EXPECT_EQ(std::set(until.begin(), until.end()).size(), 1000u);
  EXPECT_EQ(until, told_while_open(spread_over(10s), 3));
  EXPECT_NE(until, told_while_open(spread_over(10s), 4));
}

TEST(spread, of_nothing_brings_all_at_once) {
  const auto until = told_while_open(spread_over(0s), 3);
  EXPECT_EQ(std::count(until.begin(), until.end(), at(5s)), 1000);
}

TEST(spread, begins_anew_with_probes_at_each_opening) {
  CircuitBreaker breaker{spread_over(10s), 3};
  fail(breaker, 0s);
  EXPECT_EQ(told(breaker, 0s, 2)[0], at(5s));
  fail(breaker, 5s);
  EXPECT_EQ(told(breaker, 6s, 2)[0], at(10s));
}

TEST(spread, begins_now_while_the_probes_are_out) {
  CircuitBreaker breaker{spread_over(10s), 3};
  fail(breaker, 0s);
  (void)breaker.admit(at(20s));
  const auto until = told(breaker, 21s, 1000);
  EXPECT_GE(*std::min_element(until.begin(), until.end()), at(21s + 10ms));
  EXPECT_LT(*std::max_element(until.begin(), until.end()), at(31s));
  EXPECT_GT(std::set(until.begin(), until.end()).size(), 990u);
}

TEST(spread, of_nothing_is_a_tenth_of_a_second_while_the_probes_are_out) {
  CircuitBreaker breaker{spread_over(0s), 3};
  fail(breaker, 0s);
  (void)breaker.admit(at(20s));
  const auto until = told(breaker, 20s, 1000);
  EXPECT_EQ(*std::min_element(until.begin(), until.end()), at(20s + 10ms));
  EXPECT_LT(*std::max_element(until.begin(), until.end()), at(20s + 100ms));
  EXPECT_GT(*std::max_element(until.begin(), until.end()), at(20s + 90ms));
}

} // namespace backoff_actor::guard_test
