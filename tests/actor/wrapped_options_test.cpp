// Options that a negative number became a large one of, and times that are too short to be meant,
// in the option structs of actors.

#include "fixture.hpp"

#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <vector>

namespace backoff_actor::actor_test::wrapped_options {

struct WrappedRow {
  std::function<Problems()> problems;
  const char* text;
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

TEST(WrappedOptions, are_refused_as_they_were_written) {
  const std::vector<WrappedRow> rows{
    {with<SenderOptions>([](auto& x) { x.max_attempts = wrapped(-1); }),
     "max_attempts: got -1, allowed 1..1000000000"},
    {with<SenderOptions>([](auto& x) { x.max_in_flight = wrapped(-7); }),
     "max_in_flight: got -7, allowed 1..1000000000"},
    {with<SenderOptions>([](auto& x) { x.rare.max_hand_overs = wrapped(-2); }),
     "rare.max_hand_overs: got -2, allowed 1..1000000000\n"
     "rare.max_hand_overs: got -2, allowed nothing, unless outbox is set"},
    {with<SenderOptions>([](auto& x) { x.capacity = wrapped_size(-1); }),
     "capacity: got -1, allowed 1..268435455"},
    {with<SenderOptions>([](auto& x) { x.rare.capacity_bytes = wrapped_size(-1); }),
     "rare.capacity_bytes: got -1, allowed 1..9223372036854775807"},
    {with<SenderOptions>([](auto& x) {
       x.restart_limit = RestartLimit{wrapped(-1), 1s};
     }),
     "restart_limit.max_restarts: got -1, allowed 0..1000000"},
    {with<ChildBuffer>([](auto& x) { x.capacity = wrapped_size(-1000); }),
     "capacity: got -1000, allowed 0..268435455"},
    {with<ChildBuffer>([](auto& x) { x.capacity_bytes = wrapped_size(-1); }),
     "capacity_bytes: got -1, allowed 1..9223372036854775807"},
    {with<DurableOptions>([](auto& x) { x.max_batch = wrapped_size(-1); }),
     "max_batch: got -1, allowed 1..1000000000"},
    {only<DynamicSupervisorOptions>("max_children",
                                    [](auto& x) { x.max_children = wrapped_size(-1); }),
     "max_children: got -1, allowed 1..1000000000"},
    {with<RetryRequestOptions>([](auto& x) { x.limits.max_attempts = wrapped(-1); }),
     "limits.max_attempts: got -1, allowed 1..1000000000"},
    {[] { return of_a_proxy(wrapped_size(-1)); },
     "options.buffer_bytes: got -1, allowed 1..1073741824"}};
  for (const auto& row : rows)
    EXPECT_EQ(fields_of(row.problems()), row.text);
}

TEST(ShortOptions, are_refused_below_a_microsecond) {
  const std::vector<WrappedRow> rows{
    {with<SenderOptions>([](auto& x) { x.ack_timeout = 5ns; }),
     "ack_timeout: got 5ns, allowed 1us or more"},
    {with<SenderOptions>([](auto& x) { x.time_to_live = 999ns; }),
     "time_to_live: got 999ns, allowed 1us or more"},
    {with<SenderOptions>([](auto& x) { x.max_elapsed = 1ns; }),
     "max_elapsed: got 1ns, allowed 1us or more"},
    {with<SenderOptions>([](auto& x) { x.rare.largest_kept_answer = 16'385; }),
     "rare.largest_kept_answer: got 16385, allowed 0..16384"},
    {with<SenderOptions>([](auto& x) { x.rare.idempotency_retention = 60ns; }),
     "rare.idempotency_retention: got 60ns, allowed 1us or more"},
    {with<ChildOptions>([](auto& x) { x.healthy_after = 30ns; }),
     "healthy_after: got 30ns, allowed 1us or more"},
    {with<GuardedOptions>([](auto& x) { x.call_timeout = 60ns; }),
     "call_timeout: got 60ns, allowed 1us or more"},
    {with<RetryRequestOptions>([](auto& x) { x.limits.attempt_timeout = 2ns; }),
     "limits.attempt_timeout: got 2ns, allowed 1us or more"}};
  for (const auto& row : rows)
    EXPECT_EQ(fields_of(row.problems()), row.text);
}

} // namespace backoff_actor::actor_test::wrapped_options
