#include "backoffctl/live/retry_pace.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;
using backoff_actor::Draws;

constexpr auto eight_deviations = 830ms; // more is never drawn

TEST(retry_pace, goes_by_a_policy) {
  const Pace pace{
    backoff_actor::Policy{backoff_actor::Exponential{.first = 100ms, .factor = 2, .cap = 1s}}};
  RetryPace retry{pace, Draws{1, 2}};
  retry.begin(10s);
  EXPECT_EQ(retry.next(), 100ms);
  EXPECT_EQ(retry.next(), 200ms);
  retry.begin(10s);
  EXPECT_EQ(retry.next(), 100ms);
}

TEST(retry_pace, the_published_client_goes_on_from_its_time_to_think) {
  const Pace pace{backoff_actor::SmiraAsShipped{}};
  RetryPace retry{pace, Draws{1, 2}};
  retry.begin(10s);
  const auto first = retry.next();
  EXPECT_GT(first, 27182800us - eight_deviations);
  EXPECT_LT(first, 27182800us + eight_deviations);
  EXPECT_NE(first, 27182800us);
  for (auto i = 0; i < 3; ++i)
    retry.next();
  EXPECT_GT(retry.next(), 5min - eight_deviations);
  EXPECT_LT(retry.next(), 5min + eight_deviations);
}

TEST(retry_pace, a_negative_delay_of_the_published_client_is_no_wait) {
  const Pace pace{backoff_actor::SmiraAsShipped{}};
  auto none = 0;
  for (std::uint64_t stream = 0; stream < 100; ++stream) {
    RetryPace retry{pace, Draws{1, stream}};
    retry.begin(0s); // half of the first delays are negative
    for (auto i = 0; i < 40; ++i) {
      const auto wait = retry.next();
      ASSERT_GE(wait, 0s) << "seed 1, stream " << stream;
      none += i == 39 && wait == 0s; // they stay negative
    }
  }
  EXPECT_GT(none, 25);
  EXPECT_LT(none, 75);
}

} // namespace
} // namespace backoffctl
