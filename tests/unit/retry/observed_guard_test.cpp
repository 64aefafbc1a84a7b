// What an observatory sees of guards.

#include "backoff_actor/retry/shared_guard.hpp"

#include "common/metric_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <variant>

namespace backoff_actor::retry_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::value_of;

class ObservedGuardTest : public ::testing::Test {
protected:
  static GuardOptions options() {
    CircuitBreakerOptions breaker;
    breaker.trip = ConsecutiveFailures{1};
    return {breaker, RetryBudgetOptions{}};
  }

  std::optional<double> value(const std::string& metric) const {
    return value_of(observatory.metrics(Instant{}), "backoff_" + metric, {{"guard", "payments"}});
  }

  std::optional<double> changes_to(const std::string& state) const {
    return value_of(observatory.metrics(Instant{}), "backoff_breaker_transitions_total",
                    {{"guard", "payments"}, {"to", state}});
  }

  Observatory observatory;
  SharedGuard guard{options()};
};

TEST_F(ObservedGuardTest, is_seen_as_it_is_and_after_each_change) {
  guard.observed_by(observatory, "payments", Instant{});
  EXPECT_EQ(value("breaker_state"), 0);
  EXPECT_EQ(value("retry_budget_tokens"), guard.status(Instant{}).retries_left);
  guard.failed(std::get<Permit>(guard.admit(Instant{}, Call::first)), Instant{});
  EXPECT_EQ(value("breaker_state"), 2);
  EXPECT_EQ(changes_to("open"), 1);
  EXPECT_TRUE(std::holds_alternative<HeldBack>(guard.admit(Instant{}, Call::first)));
  EXPECT_EQ(value_of(observatory.metrics(Instant{}), "backoff_guard_held_back_total",
                     {{"guard", "payments"}, {"reason", "breaker"}}),
            1);
  const auto probe = std::get<Permit>(guard.admit(Instant{5s}, Call::first));
  EXPECT_EQ(value("breaker_state"), 1);
  guard.succeeded(probe, Instant{5s});
  EXPECT_EQ(value("breaker_state"), 0);
  guard.isolate(Instant{6s});
  EXPECT_EQ(value("breaker_state"), 3);
  guard.close(Instant{6s});
  EXPECT_EQ(changes_to("isolated"), 1);
  EXPECT_EQ(changes_to("closed"), 2);
  EXPECT_EQ(changes_to("half_open"), 1);
}

TEST_F(ObservedGuardTest, that_is_open_from_the_start_has_not_changed) {
  guard.isolate(Instant{});
  guard.observed_by(observatory, "payments", Instant{});
  EXPECT_EQ(value("breaker_state"), 3);
  EXPECT_EQ(changes_to("isolated"), 0);
}

TEST_F(ObservedGuardTest, leaves_its_counts_when_it_goes) {
  {
    const SharedGuard other{options()};
    other.observed_by(observatory, "payments", Instant{});
    other.isolate(Instant{});
  }
  EXPECT_EQ(changes_to("isolated"), 1);
  EXPECT_EQ(value("breaker_state"), std::nullopt);
}

TEST_F(ObservedGuardTest, is_seen_by_the_last_observatory_alone) {
  const Observatory other;
  guard.observed_by(other, "payments", Instant{});
  guard.observed_by(observatory, "payments", Instant{});
  guard.isolate(Instant{});
  EXPECT_EQ(value("breaker_state"), 3);
  EXPECT_EQ(value_of(other.metrics(Instant{}), "backoff_breaker_state", {{"guard", "payments"}}),
            std::nullopt);
}

TEST_F(ObservedGuardTest, counts_nothing_twice) {
  const auto held_back = [&] {
    return value_of(observatory.metrics(Instant{}), "backoff_guard_held_back_total",
                    {{"guard", "payments"}, {"reason", "breaker"}});
  };
  guard.isolate(Instant{});
  static_cast<void>(guard.admit(Instant{}, Call::first)); // before anybody looks
  guard.observed_by(observatory, "payments", Instant{});
  EXPECT_EQ(held_back(), 0);
  static_cast<void>(guard.admit(Instant{}, Call::first));
  guard.observed_by(observatory, "payments", Instant{});
  EXPECT_EQ(held_back(), 1);
  static_cast<void>(guard.admit(Instant{}, Call::first));
  EXPECT_EQ(held_back(), 2);
}

TEST_F(ObservedGuardTest, of_a_rate_shows_what_it_held_back_and_what_is_left) {
  const SharedGuard rate{{.rate = RateOptions{.burst = 2}}};
  const auto left = [&] { return observatory.status(1, Instant{}).guards.at(0); };
  rate.observed_by(observatory, "payments", Instant{});
  EXPECT_TRUE(left().has_rate);
  EXPECT_EQ(left().calls_left, 2u);
  for (auto i = 0; i < 5; ++i)
    static_cast<void>(rate.admit(Instant{}, Call::first));
  EXPECT_EQ(left().calls_left, 0u);
  EXPECT_EQ(value_of(observatory.metrics(Instant{}), "backoff_guard_held_back_total",
                     {{"guard", "payments"}, {"reason", "rate"}}),
            3);
}

TEST_F(ObservedGuardTest, needs_a_name) {
  for (const auto* name : {"", "My guard"})
    try {
      guard.observed_by(observatory, name);
      FAIL() << "it was taken";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("SharedGuard::observed_by: name: got"));
    }
}

} // namespace backoff_actor::retry_test
