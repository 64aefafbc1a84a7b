// Options that a negative number became a large one of, and times that are too short to be meant,
// in the option structs that need no CAF.

#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/delivery/deduplicator.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/lab/internal/tuning.hpp"
#include "backoff_actor/lab/simulation/internal/contention.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"
#include "backoff_actor/supervision/child_options.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace backoff_actor::wrapped_numbers_test {

using namespace std::chrono_literals;

// What a program writes; the conversion is implicit there.
constexpr auto wrapped(int number) { return static_cast<std::uint32_t>(number); }

struct Row {
  std::function<Problems()> problems;
  const char* text;
};

template <class Call>
Problems thrown_by(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.problems();
  }
  return {};
}

template <class Trip>
Problems of_trip(Trip trip) {
  return check(CircuitBreakerOptions{.trip = trip});
}

TEST(WrappedNumbers, are_refused_as_they_were_written) {
  const std::vector<Row> rows{
    {[] { return check(Limits{.max_attempts = wrapped(-1)}); },
     "max_attempts: got -1, allowed 1..1000000000"},
    {[] {
       return check(RestartLimit{wrapped(-3), 1s});
     },
     "max_restarts: got -3, allowed 0..1000000"},
    {[] {
       return check(ChildOptions{.restart_limit = RestartLimit{wrapped(-3), 1s}});
     },
     "restart_limit.max_restarts: got -3, allowed 0..1000000"},
    {[] { return of_trip(ConsecutiveFailures{.failures = wrapped(-1)}); },
     "CircuitBreakerOptions: failures: got -1, allowed 1..1000000"},
    {[] { return of_trip(FailureRatioOfCalls{.calls = wrapped(-100)}); },
     "CircuitBreakerOptions: calls: got -100, allowed 1..1000000"},
    {[] { return of_trip(FailureRatioOfTime{.minimum_calls = wrapped(-10)}); },
     "CircuitBreakerOptions: minimum_calls: got -10, allowed 1..1000000"},
    {[] { return check(CircuitBreakerOptions{.probes = wrapped(-1)}); },
     "CircuitBreakerOptions: probes: got -1, allowed 1..1000000"},
    {[] { return check(OutageOptions{.clients = wrapped(-1)}); },
     "clients: got -1, allowed 1..1048576"},
    {[] { return check(OutageOptions{.service = {.limit = wrapped(-30)}}); },
     "service.limit: got -30, allowed 0..1000000000"},
    {[] { return check(OutageOptions{.service = {.max_concurrency = wrapped(-1)}}); },
     "service.max_concurrency: got -1, allowed 1..1000000000"},
    {[] { return thrown_by([] { simulate(Contention{.clients = wrapped(-1)}, 1, 0); }); },
     "clients: got -1, allowed 1..100000"},
    {[] { return thrown_by([] { Deduplicator<>{static_cast<std::size_t>(-1)}; }); },
     "capacity: got -1, allowed 1..1073741824"},
    {[] { return thrown_by([] { retry_of(DelaySeries{}, static_cast<std::uint64_t>(-1)); }); },
     "attempt: got -1, allowed 0..1000000000000001"}};
  for (const auto& row : rows)
    EXPECT_EQ(to_string(row.problems()), row.text);
}

TEST(ShortTimes, are_refused_below_a_microsecond) {
  const std::vector<Row> rows{
    {[] { return check(Limits{.max_elapsed = 999ns}); },
     "max_elapsed: got 999ns, allowed 1us or more"},
    {[] { return check(Limits{.attempt_timeout = 5ns}); },
     "attempt_timeout: got 5ns, allowed 1us or more"},
    {[] { return check(Limits{.reset_after = 1ns}); }, "reset_after: got 1ns, allowed 1us or more"},
    {[] {
       return check(RestartLimit{1, 60ns});
     },
     "within: got 60ns, allowed 1us or more"},
    {[] { return check(ChildOptions{.healthy_after = 30ns}); },
     "healthy_after: got 30ns, allowed 1us or more"},
    {[] {
       return check(ChildOptions{.readiness = Readiness::when_it_is_up, .start_timeout = 999ns});
     },
     "start_timeout: got 999ns, allowed 1us or more"},
    {[] { return check(ChildOptions{.shutdown = Shutdown::within(5ns)}); },
     "shutdown: got within 5ns, allowed 1us or more; Shutdown::at_once() kills without "
     "asking"}};
  for (const auto& row : rows)
    EXPECT_EQ(to_string(row.problems()), row.text);
}

TEST(counts, are_shown_with_a_sign_only_if_they_can_have_had_one) {
  EXPECT_EQ(detail::text_of_count(wrapped(-1'000'000)), "-1000000");
  EXPECT_EQ(detail::text_of_count(wrapped(-1'000'001)), "4293967295");
  EXPECT_EQ(detail::text_of_count(3'000'000'000U), "3000000000");
  EXPECT_EQ(detail::text_of_count(std::uint64_t{1} << 63), "9223372036854775808");
  EXPECT_EQ(detail::text_of_count(static_cast<std::uint64_t>(-7)), "-7");
  EXPECT_EQ(detail::text_of_count(0U), "0");
}

} // namespace backoff_actor::wrapped_numbers_test
