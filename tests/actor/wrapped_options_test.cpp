// Options that a negative number became a large one of, and times that are too short to be meant,
// in the option structs of actors.

#include "fixture.hpp"

#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <ostream>

namespace backoff_actor::actor_test::wrapped_options {

struct WrappedRow {
  const char* name;
  std::function<Problems()> problems;
  const char* text;

  friend void PrintTo(const WrappedRow& row, std::ostream* out) { *out << row.name; }
};

// What a program writes; the conversion is implicit there.
constexpr auto wrapped(int number) { return static_cast<std::uint32_t>(number); }
constexpr auto wrapped_size(int number) { return static_cast<std::size_t>(number); }

// The problems as text, without the name of the struct.
std::string fields_of(const Problems& problems) {
  Problems result;
  for (const auto& problem : problems.list())
    result.add(problem.field, problem.given, problem.allowed);
  return to_string(result);
}

template <class Options, class Set>
std::function<Problems()> with(Set set) {
  return [set] {
    Options options;
    set(options);
    return check(options);
  };
}

// The problems of an option; whatever else is wrong is left out.
template <class Options, class Set>
std::function<Problems()> only(std::string field, Set set) {
  return [field, set] {
    Options options;
    set(options);
    const auto all = check(options);
    Problems result;
    for (const auto& problem : all.list())
      if (problem.field == field)
        result.add(problem.field, problem.given, problem.allowed);
    return result;
  };
}

Problems of_a_proxy(std::size_t buffer_bytes) {
  try {
    testing::TcpProxy{"127.0.0.1", 1, {}, {.buffer_bytes = buffer_bytes}};
  } catch (const InvalidArgument& error) {
    return error.problems();
  }
  return {};
}

class WrappedOptions : public ::testing::TestWithParam<WrappedRow> {};

TEST_P(WrappedOptions, are_refused_as_they_were_written) {
  EXPECT_EQ(fields_of(GetParam().problems()), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
  table, WrappedOptions,
  ::testing::Values(
    WrappedRow{"max_attempts", with<SenderOptions>([](auto& x) { x.max_attempts = wrapped(-1); }),
               "max_attempts: got -1, allowed 1..1000000000"},
    WrappedRow{"max_in_flight", with<SenderOptions>([](auto& x) { x.max_in_flight = wrapped(-7); }),
               "max_in_flight: got -7, allowed 1..1000000000"},
    WrappedRow{"max_hand_overs",
               with<SenderOptions>([](auto& x) { x.rare.max_hand_overs = wrapped(-2); }),
               "rare.max_hand_overs: got -2, allowed 1..1000000000\n"
               "rare.max_hand_overs: got -2, allowed nothing, unless outbox is set"},
    WrappedRow{"capacity", with<SenderOptions>([](auto& x) { x.capacity = wrapped_size(-1); }),
               "capacity: got -1, allowed 1..268435455"},
    WrappedRow{"capacity_bytes",
               with<SenderOptions>([](auto& x) { x.rare.capacity_bytes = wrapped_size(-1); }),
               "rare.capacity_bytes: got -1, allowed 1..9223372036854775807"},
    WrappedRow{"max_restarts", with<SenderOptions>([](auto& x) {
                 x.restart_limit = RestartLimit{wrapped(-1), 1s};
               }),
               "restart_limit.max_restarts: got -1, allowed 0..1000000"},
    WrappedRow{"a_buffer", with<ChildBuffer>([](auto& x) { x.capacity = wrapped_size(-1000); }),
               "capacity: got -1000, allowed 0..268435455"},
    WrappedRow{"bytes_of_a_buffer",
               with<ChildBuffer>([](auto& x) { x.capacity_bytes = wrapped_size(-1); }),
               "capacity_bytes: got -1, allowed 1..9223372036854775807"},
    WrappedRow{"max_batch", with<DurableOptions>([](auto& x) { x.max_batch = wrapped_size(-1); }),
               "max_batch: got -1, allowed 1..1000000000"},
    WrappedRow{"max_children",
               only<DynamicSupervisorOptions>("max_children",
                                              [](auto& x) { x.max_children = wrapped_size(-1); }),
               "max_children: got -1, allowed 1..1000000000"},
    WrappedRow{"limits",
               with<RetryRequestOptions>([](auto& x) { x.limits.max_attempts = wrapped(-1); }),
               "limits.max_attempts: got -1, allowed 1..1000000000"},
    WrappedRow{"a_proxy", [] { return of_a_proxy(wrapped_size(-1)); },
               "options.buffer_bytes: got -1, allowed 1..1073741824"}),
  [](const auto& row) { return std::string{row.param.name}; });

class ShortOptions : public ::testing::TestWithParam<WrappedRow> {};

TEST_P(ShortOptions, are_refused_below_a_microsecond) {
  EXPECT_EQ(fields_of(GetParam().problems()), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
  table, ShortOptions,
  ::testing::Values(
    WrappedRow{"ack_timeout", with<SenderOptions>([](auto& x) { x.ack_timeout = 5ns; }),
               "ack_timeout: got 5ns, allowed 1us or more"},
    WrappedRow{"time_to_live", with<SenderOptions>([](auto& x) { x.time_to_live = 999ns; }),
               "time_to_live: got 999ns, allowed 1us or more"},
    WrappedRow{"max_elapsed", with<SenderOptions>([](auto& x) { x.max_elapsed = 1ns; }),
               "max_elapsed: got 1ns, allowed 1us or more"},
    WrappedRow{"idempotency_retention",
               with<SenderOptions>([](auto& x) { x.rare.idempotency_retention = 60ns; }),
               "rare.idempotency_retention: got 60ns, allowed 1us or more"},
    WrappedRow{"healthy_after", with<ChildOptions>([](auto& x) { x.healthy_after = 30ns; }),
               "healthy_after: got 30ns, allowed 1us or more"},
    WrappedRow{"call_timeout", with<GuardedOptions>([](auto& x) { x.call_timeout = 60ns; }),
               "call_timeout: got 60ns, allowed 1us or more"},
    WrappedRow{"attempt_timeout",
               with<RetryRequestOptions>([](auto& x) { x.limits.attempt_timeout = 2ns; }),
               "limits.attempt_timeout: got 2ns, allowed 1us or more"}),
  [](const auto& row) { return std::string{row.param.name}; });

} // namespace backoff_actor::actor_test::wrapped_options
