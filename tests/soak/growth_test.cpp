#include "growth.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::soak {

namespace {

// `count` samples, the first `begin`, each next one `step` more.
std::vector<double> line(double begin, double step, int count) {
  std::vector<double> result;
  for (auto i = 0; i != count; ++i)
    result.push_back(begin + step * i);
  return result;
}

TEST(SoakGrowth, is_not_known_of_a_few_samples) {
  EXPECT_FALSE(judge_growth(line(10, 100, 7)).is_known);
  EXPECT_FALSE(judge_growth(line(10, 100, 7)).has_grown);
  EXPECT_TRUE(judge_growth(line(10, 100, 8)).is_known);
}

TEST(SoakGrowth, is_that_of_a_leak_which_never_ends) {
  // The medians are those of samples 100 to 199 and of 300 to 399: 250 and 450.
  const auto growth = judge_growth(line(100, 1, 400));

  EXPECT_TRUE(growth.has_grown);
  EXPECT_EQ(growth.earlier_mb, 250);
  EXPECT_EQ(growth.later_mb, 450);
}

TEST(SoakGrowth, is_not_the_warm_up_of_the_first_quarter) {
  auto samples = line(10, 10, 100); // up to 1000
  samples.resize(400, 1000);

  EXPECT_FALSE(judge_growth(samples).has_grown);
}

TEST(SoakGrowth, is_not_a_peak_however_high) {
  auto samples = line(100, 0, 100);
  for (auto i = 76; i != 86; ++i)
    samples[static_cast<std::size_t>(i)] = 10'000;

  EXPECT_FALSE(judge_growth(samples).has_grown);
}

TEST(SoakGrowth, is_what_exceeds_a_tenth_and_sixteen_megabytes) {
  // From 100 to 126, and then to a little more.
  auto samples = line(100, 0, 20);
  samples.resize(40, 126);
  EXPECT_FALSE(judge_growth(samples).has_grown);
  samples = line(100, 0, 20);
  samples.resize(40, 126.1);
  EXPECT_TRUE(judge_growth(samples).has_grown);
}

} // namespace

} // namespace backoff_actor::soak
