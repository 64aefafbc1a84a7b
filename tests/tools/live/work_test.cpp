#include "backoffctl/live/work.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace backoffctl {
namespace {

using namespace std::chrono_literals;
using backoff_actor::Duration;
using backoff_actor::Instant;

constexpr Instant at(Duration since_origin) { return {since_origin}; }

class WorkTest : public testing::Test {
protected:
  // Requests that are done at this time.
  std::vector<int> done_at(Duration now) {
    std::vector<int> result;
    work_.look(
      at(now), [this](int request) { return request == gone_; },
      [&](int request) { result.push_back(request); });
    return result;
  }

  std::vector<int> look_until(Duration end) {
    std::vector<int> result;
    while (work_.next_look() <= at(end))
      for (const auto request : done_at(work_.next_look().since_origin))
        result.push_back(request);
    return result;
  }

  using Requests = std::vector<int>;
  backoff_actor::ServiceOptions service_{};
  Work<int> work_{service_};
  int gone_ = -1;
};

TEST_F(WorkTest, a_request_looks_every_50_ms_and_leaves_when_100_ms_are_over) {
  work_.add(at(7300us), 1);
  EXPECT_EQ(look_until(107ms), Requests{});
  EXPECT_EQ(work_.concurrency(), 1u);
  EXPECT_EQ(done_at(108ms), Requests{1}); // 100.7 ms after it came
  EXPECT_EQ(work_.concurrency(), 0u);
  EXPECT_EQ(work_.next_look(), Instant::never());
}

TEST_F(WorkTest, a_request_stays_when_exactly_the_delay_is_over) {
  service_.base_delay = 101ms;
  work_ = Work<int>{service_};
  work_.add(at(1ms), 1); // looks at 2, 52, 102, 152 ms
  EXPECT_EQ(look_until(102ms), Requests{});
  EXPECT_EQ(look_until(152ms), Requests{1});
}

TEST_F(WorkTest, the_delay_grows_with_the_number_of_requests) {
  for (auto i = 1; i <= 1040; ++i)
    work_.add(at(500us), i);
  EXPECT_EQ(work_.last_delay(), 2671444385ns); // the article prints it for 1040
  EXPECT_EQ(look_until(2601ms), Requests{});
  EXPECT_EQ(look_until(2751ms).size(), 1040u);
}

TEST_F(WorkTest, a_request_takes_longer_when_others_come_later) {
  work_.add(at(500us), 0);
  for (auto i = 1; i < 100; ++i)
    work_.add(at(60500us), i);
  EXPECT_EQ(look_until(101ms), Requests{}); // at 100 requests it takes 125.6 ms
  EXPECT_EQ(look_until(151ms), Requests{0});
}

TEST_F(WorkTest, after_a_long_stop_one_look_finishes_what_is_over) {
  for (auto i = 0; i < 5; ++i)
    work_.add(at(i * 13ms), i);
  EXPECT_EQ(done_at(10s).size(), 5u);
  EXPECT_EQ(work_.concurrency(), 0u);
}

TEST_F(WorkTest, what_is_gone_leaves_at_the_next_look_without_being_finished) {
  work_.add(at(500us), 1);
  work_.add(at(500us), 2);
  gone_ = 1;
  EXPECT_EQ(done_at(51ms), Requests{});
  EXPECT_EQ(work_.concurrency(), 1u);
  EXPECT_EQ(look_until(101ms), Requests{2});
}

TEST_F(WorkTest, no_delay_has_been_computed_before_the_first_request) {
  EXPECT_EQ(work_.last_delay(), 0ns);
}

} // namespace
} // namespace backoffctl
