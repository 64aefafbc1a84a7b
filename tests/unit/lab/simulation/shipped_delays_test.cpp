#include "backoff_actor/lab/simulation/internal/shipped_delays.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace backoff_actor::shipped_delays_test {

using namespace std::chrono_literals;

constexpr auto eight_deviations = 830ms; // more is never drawn

// One client, which has thought and then calls in vain.
class Client {
public:
  Client(std::uint64_t stream, Duration thought)
    : draws_(1, stream), progress_(delays_.wanting(delays_.start(), thought)) {}

  Duration next() {
    const auto step = delays_.next(progress_, draws_(progress_.draws));
    progress_ = step.progress;
    return step.delay;
  }

private:
  detail::ShippedDelays delays_;
  Draws draws_;
  Progress progress_;
};

TEST(shipped_delays, go_on_from_the_time_to_think) {
  Client client{2, 10s};
  const auto first = client.next();
  EXPECT_GT(first, 27182800us - eight_deviations);
  EXPECT_LT(first, 27182800us + eight_deviations);
  EXPECT_NE(first, 27182800us);
  for (auto i = 0; i < 3; ++i)
    client.next();
  const auto fifth = client.next();
  EXPECT_GT(fifth, 5min - eight_deviations);
  EXPECT_LT(fifth, 5min + eight_deviations);
}

TEST(shipped_delays, that_are_negative_are_no_wait) {
  auto none = 0;
  for (std::uint64_t stream = 0; stream < 100; ++stream) {
    Client client{stream, 0s}; // half of the first delays are negative
    for (auto i = 0; i < 40; ++i) {
      const auto wait = client.next();
      ASSERT_GE(wait, 0s) << "seed 1, stream " << stream;
      none += i == 39 && wait == 0s ? 1 : 0; // they stay negative
    }
  }
  EXPECT_GT(none, 25);
  EXPECT_LT(none, 75);
}

} // namespace backoff_actor::shipped_delays_test
