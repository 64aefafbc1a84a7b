#include <backoff_actor/retry/retry.hpp>
#include <backoff_actor/testing/faults/faulty_function.hpp>
#include <backoff_actor/testing/time/virtual_clock.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::kit_test {

namespace {

using namespace std::chrono_literals;
using testing::Fault;
using testing::FaultInjected;
using testing::faulty_function;
using testing::VirtualClock;

TEST(FaultyFunction, is_called_when_all_is_well_and_throws_what_is_planned) {
  auto twice = faulty_function([](int x) { return 2 * x; }, "ok, crash(\"bang\"), error(503), ok");

  EXPECT_EQ(twice(4), 8);
  EXPECT_THROW(twice(4), FaultInjected);
  try {
    twice(4);
    FAIL() << "it does not throw";
  } catch (const FaultInjected& thrown) {
    EXPECT_STREQ(thrown.what(), "503");
    EXPECT_EQ(thrown.fault().code, 503U);
  }
  EXPECT_EQ(twice(5), 10);
}

TEST(FaultyFunction, takes_the_time_that_is_planned) {
  VirtualClock clock;
  const auto begin = clock.now();
  auto call = faulty_function([] { return 1; }, "slow 500ms, hang",
                              {.sleep = clock.sleeper(), .hang = 10min});

  EXPECT_EQ(call(), 1);
  EXPECT_EQ(clock.now() - begin, 500ms);
  EXPECT_THROW(call(), FaultInjected);
  EXPECT_EQ(clock.now() - begin, 10min + 500ms);
}

TEST(FaultyFunction, reports_failures_by_a_value_if_it_is_told_how) {
  auto call =
    faulty_function([] { return 200U; }, "error(503), ok").answering([](const Fault& fault) {
      return fault.code;
    });

  EXPECT_EQ(call(), 503U);
  EXPECT_EQ(call(), 200U);
}

TEST(FaultyFunction, is_retried_as_a_real_one_would_be) {
  VirtualClock clock;
  auto call = faulty_function([] { return std::string{"done"}; },
                              "crash, error(503, retry_after 2s)", {.sleep = clock.sleeper()});
  const auto predicate = [](const std::exception& error) -> Assessment {
    const auto* const injected = dynamic_cast<const FaultInjected*>(&error);
    return injected && injected->fault().delay > 0s ? retryable_after(injected->fault().delay)
                                                    : retryable;
  };

  const auto result = retry(Fixed{100ms}, {}, predicate, call, clock);

  EXPECT_EQ(result.value, "done");
  EXPECT_EQ(result.attempts, 3U);
  EXPECT_EQ(clock.sleeps, (std::vector<Duration>{100ms, 2s}));
}

TEST(FaultyFunction, shares_its_plan_with_its_copies) {
  auto first = faulty_function([] { return 1; }, "ok, crash, ok");
  auto second = first;

  EXPECT_EQ(first(), 1);
  EXPECT_THROW(second(), FaultInjected);
  EXPECT_EQ(first(), 1);
}

} // namespace

} // namespace backoff_actor::kit_test
