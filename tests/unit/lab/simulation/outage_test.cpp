#include "backoff_actor/lab/simulation/internal/outage.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::outage_test {

using namespace std::chrono_literals;

const Policy fixed_100ms = Fixed{100ms};
const Policy full = parse_policy("exponential(100ms, x2, cap 5min) | full_jitter");

OutageOptions outage(const Policy& policy, Duration stop_for = 20s) {
  OutageOptions result;
  result.policy = policy;
  result.stop_for = stop_for;
  result.watch = 3min;
  return result;
}

// The mean of a part of the seconds from one to another.
template <class T>
double mean(const OutageResult& result, std::size_t from, std::size_t to, T OutageSecond::*part) {
  double sum = 0;
  for (auto i = from; i < to; ++i)
    sum += static_cast<double>(result.seconds.at(i).*part);
  return sum / static_cast<double>(to - from);
}

// 1000 clients that call every 10.1 s; 0.1 s each.
TEST(simulate_outage, has_99_answers_a_second_and_9_9_requests_at_once_when_all_is_well) {
  auto options = outage(fixed_100ms);
  options.warm_up = 20min;
  const auto result = simulate_outage(options);

  EXPECT_NEAR(mean(result, 0, 1200, &OutageSecond::ok), 99.0, 0.9); // 3 standard deviations
  EXPECT_NEAR(mean(result, 0, 1200, &OutageSecond::concurrency), 9.9, 0.15);
  EXPECT_NEAR(mean(result, 0, 1200, &OutageSecond::latency_s), 0.1, 0.0005);
  EXPECT_EQ(mean(result, 0, 1200, &OutageSecond::timed_out), 0.0);
}

TEST(simulate_outage, is_recovered_at_once_where_nothing_happened) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto options = outage(fixed_100ms, 0s);
    options.seed = seed;
    const auto recovery = simulate_outage(options).summary.recovery;
    EXPECT_TRUE(recovery.recovered) << "seed " << seed;
    EXPECT_LT(recovery.recover_s.value_or(999), 30.0) << "seed " << seed;
  }
}

// The client of the seed printed 22.6, 170.6, 298.8 and 371.2 timeouts a second for its first spans
// of 5 s, the first of which began 1.8 s before the stop, to judge by the 36 answers a second in
// it.
TEST(simulate_outage, has_as_many_timeouts_as_the_seed_printed) {
  constexpr int runs = 10;
  std::vector<double> timeouts(4, 0);
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    auto options = outage(fixed_100ms);
    options.warm_up = 121'800ms;
    options.seed = seed;
    const auto result = simulate_outage(options);
    for (std::size_t i = 0; i < timeouts.size(); ++i)
      timeouts[i] += mean(result, 120 + 5 * i, 125 + 5 * i, &OutageSecond::timed_out) / runs;
  }

  EXPECT_NEAR(timeouts[0], 22.6, 5);
  EXPECT_NEAR(timeouts[1], 170.6, 20);
  EXPECT_NEAR(timeouts[2], 298.8, 20);
  EXPECT_NEAR(timeouts[3], 371.2, 20);
}

TEST(simulate_outage, fixed_retries_keep_a_service_down_that_works_on_for_nobody) {
  const auto result = simulate_outage(outage(fixed_100ms));

  EXPECT_FALSE(result.summary.recovery.recovered);
  EXPECT_GT(result.summary.peak_concurrency, 50'000U);
  // All fail, one call in 2.1 s each.
  EXPECT_NEAR(mean(result, 200, 300, &OutageSecond::attempts), 476.2, 15);
  EXPECT_EQ(mean(result, 145, 300, &OutageSecond::ok), 0.0);
}

TEST(simulate_outage, fixed_retries_are_survived_by_a_service_that_drops_abandoned_work) {
  auto options = outage(fixed_100ms);
  options.service.abandoned_work = AbandonedWork::dropped;
  const auto summary = simulate_outage(options).summary;

  EXPECT_TRUE(summary.recovery.recovered);
  EXPECT_LT(summary.recovery.recover_s.value_or(999), 10.0);
  EXPECT_EQ(summary.lost_work, 0U);
}

TEST(simulate_outage,
     the_policy_of_the_seed_as_written_does_not_recover_but_the_client_as_shipped_does) {
  auto shipped = outage({});
  shipped.policy = SmiraAsShipped{};

  EXPECT_FALSE(simulate_outage(outage(Seed002{})).summary.recovery.recovered);
  EXPECT_TRUE(simulate_outage(shipped).summary.recovery.recovered);
}

// A first delay of e * 10 s in the mean: a client makes few calls in 20 s.
TEST(simulate_outage, the_client_as_shipped_waits_much_longer_than_its_pseudocode) {
  auto shipped = outage({});
  shipped.policy = SmiraAsShipped{};

  EXPECT_LT(simulate_outage(shipped).summary.attempts_during_outage, 1200U);
  EXPECT_GT(simulate_outage(outage(Seed002{})).summary.attempts_during_outage, 4000U);
}

TEST(simulate_outage, a_shared_circuit_breaker_lets_the_service_recover) {
  for (const auto client : {OutageClient::retry, OutageClient::sender}) {
    auto options = outage(full);
    options.client = client;
    EXPECT_FALSE(simulate_outage(options).summary.recovery.recovered);
    options.guard.circuit_breaker = CircuitBreakerOptions{};
    const auto summary = simulate_outage(options).summary;
    EXPECT_TRUE(summary.recovery.recovered);
    EXPECT_LT(summary.attempts_during_outage, 250U); // what is on its way in 2 s, and probes
    EXPECT_EQ(summary.still_waiting, 0U);
  }
}

TEST(simulate_outage, senders_call_as_often_as_loops_with_the_same_policy) {
  auto options = outage(full);
  const auto loops = simulate_outage(options);
  options.client = OutageClient::sender;
  const auto senders = simulate_outage(options);

  EXPECT_EQ(loops.seconds, senders.seconds);
}

TEST(simulate_outage, clients_think_equally_whatever_their_policy) {
  const auto before_the_outage = [](OutageResult result) {
    result.seconds.resize(121); // no policy is asked before
    return result.seconds;
  };
  EXPECT_EQ(before_the_outage(simulate_outage(outage(fixed_100ms))),
            before_the_outage(simulate_outage(outage(full))));
}

TEST(simulate_outage, is_repeated_by_its_seed_and_not_by_another) {
  auto options = outage(full);
  options.seed = 7;
  const auto first = simulate_outage(options);
  EXPECT_EQ(first.seconds, simulate_outage(options).seconds);
  options.seed = 8;
  EXPECT_NE(first.seconds, simulate_outage(options).seconds);
}

// The backlog is full at once; then connections fail by TCP's silence.
TEST(simulate_outage, a_short_backlog_keeps_requests_away) {
  auto options = outage(fixed_100ms, 60s);
  options.service.backlog = 50;
  const auto summary = simulate_outage(options).summary;

  EXPECT_TRUE(summary.recovery.recovered);
  EXPECT_EQ(summary.lost_work, 57U); // 50, and 7 that were worked on when it was stopped
  EXPECT_LT(summary.peak_concurrency, 400U);

  options.policy = Policy{Seed002{}};
  options.service.backlog = 128;
  EXPECT_TRUE(simulate_outage(options).summary.recovery.recovered);
}

// At the end all that it works on is for nobody but the last two seconds' calls of a thousand
// clients.
TEST(simulate_outage, counts_what_is_still_worked_on_for_nobody_as_lost) {
  const auto result = simulate_outage(outage(fixed_100ms));
  const auto at_the_end = result.seconds.back().concurrency;
  EXPECT_GT(at_the_end, 50'000);
  EXPECT_NEAR(static_cast<double>(result.summary.lost_work), at_the_end, 1'500);
}

TEST(simulate_outage, tells_progress_second_by_second) {
  auto options = outage(fixed_100ms, 1s);
  options.warm_up = 2s;
  options.watch = 60500ms; // the half second is not whole
  std::vector<std::uint64_t> told;
  const auto result = simulate_outage(options, [&](std::uint64_t second, std::uint64_t of) {
    EXPECT_EQ(of, 63U);
    told.push_back(second);
  });

  ASSERT_EQ(told.size(), 63U);
  EXPECT_EQ(told.front(), 1U);
  EXPECT_EQ(told.back(), 63U);
  EXPECT_EQ(result.seconds.size(), 63U);
}

TEST(simulate_outage, is_recovered_after_no_time_in_the_shortest_watch_where_nothing_happened) {
  auto options = outage(fixed_100ms, 0s);
  options.watch = 60s;
  EXPECT_EQ(simulate_outage(options).summary.recovery, (Recovery{true, 0.0}));

  options.warm_up = 119500ms; // 60 whole seconds are watched, from half a second later on
  EXPECT_EQ(simulate_outage(options).summary.recovery, (Recovery{true, 0.5}));
}

TEST(simulate_outage, refuses_what_cannot_be_all_at_once) {
  OutageOptions options;
  options.clients = 0;
  options.warm_up = 1s;
  options.watch = 0s;
  options.service.factor = 0.5;
  options.service.backlog = 0;
  options.policy = SmiraAsShipped{};
  options.client = OutageClient::sender;
  options.max_attempts = 0;
  options.charging.give_up_after = 0s;
  try {
    simulate_outage(options);
    FAIL() << "was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "service.factor: got 0.5, allowed 1..1000\n"
                               "service.backlog: got 0, allowed 1..1048576\n"
                               "clients: got 0, allowed 1..1048576\n"
                               "warm_up: got 1s, allowed 2s..24h\n"
                               "watch: got 0ns, allowed 1min..24h\n"
                               "max_attempts: got 0, allowed 1..1000000000\n"
                               "charging.give_up_after: got 0ns, allowed 1us or more\n"
                               "policy: got smira_as_shipped for senders, allowed a Policy");
  }
}

TEST(simulate_outage, refuses_more_processes_than_clients_and_a_limit_for_loops) {
  OutageOptions options;
  options.clients = 10;
  options.processes = 11;
  options.max_attempts = 8;
  EXPECT_EQ(to_string(check(options)), "processes: got 11, allowed 1..10\n"
                                       "max_attempts: got 8 for loops, allowed unset; only senders "
                                       "have it");
}

// 99 of the thousand begin a call in each second, and 10 calls are always under way.
TEST(simulate_outage, those_wait_who_want_something_when_the_service_comes_back) {
  EXPECT_NEAR(static_cast<double>(simulate_outage(outage(fixed_100ms, 1s)).summary.waiting), 109,
              40);
}

// A thousand first calls, and for each tenth of these, and each second, a retry.
TEST(simulate_outage, a_retry_budget_leaves_few_retries_to_a_service_that_is_stopped) {
  auto options = outage(fixed_100ms, 60s);
  options.guard.retry_budget = RetryBudgetOptions{.ratio = 0.1, .per_second = 1};
  EXPECT_LT(simulate_outage(options).summary.attempts_during_outage, 1300U);
}

TEST(simulate_outage, a_rate_bounds_the_calls_of_all_clients_together) {
  for (const auto client : {OutageClient::retry, OutageClient::sender}) {
    auto options = outage(fixed_100ms, 60s);
    options.client = client;
    options.guard.rate = RateOptions{.calls = 120, .burst = 10};
    const auto result = simulate_outage(options);
    EXPECT_LE(result.summary.attempts_during_outage, 60U * 120 + 10);
    EXPECT_GE(result.summary.attempts_during_outage, 59U * 120) << "and all of them are made";
  }
}

// A hundred calls can begin in each second, but the guards of ten processes let through fifty.
TEST(simulate_outage, each_process_has_a_guard_of_its_own) {
  for (const auto client : {OutageClient::retry, OutageClient::sender}) {
    auto options = outage(fixed_100ms, 60s);
    options.client = client;
    options.processes = 10;
    options.guard.rate = RateOptions{.calls = 5, .burst = 1};
    const auto result = simulate_outage(options);
    EXPECT_LE(result.summary.attempts_during_outage, 10U * (60 * 5 + 1));
    EXPECT_GE(result.summary.attempts_during_outage, 10U * 59 * 5) << "and all of them are made";
  }
}

// Alone, a client must fail five times itself before its breaker opens.
TEST(simulate_outage, a_breaker_knows_nothing_of_what_other_processes_meet) {
  auto options = outage(fixed_100ms, 20s);
  options.guard.circuit_breaker = CircuitBreakerOptions{};
  const auto shared = simulate_outage(options).summary.attempts_during_outage;
  options.processes = options.clients;
  const auto alone = simulate_outage(options).summary.attempts_during_outage;

  EXPECT_LT(shared, 300U);
  EXPECT_GT(alone, 3000U);
}

OutageOptions limited_senders(const Charging& charging) {
  auto options = outage(Policy{Fixed{2s}}, 30s);
  options.client = OutageClient::sender;
  options.max_attempts = 3;
  options.charging = charging;
  options.service.max_concurrency = 100; // so that it recovers
  options.service.abandoned_work = AbandonedWork::dropped;
  return options;
}

// With one attempt for each message, nobody waits longer than for the timeout of a call. What is
// given up leaves its client thinking, not waiting.
TEST(simulate_outage, a_client_whose_message_is_given_up_no_longer_waits) {
  auto options = limited_senders(Charging::every_failure());
  options.max_attempts = 1;
  options.service.backlog = 1;
  const auto summary = simulate_outage(options).summary;

  EXPECT_GT(summary.dead_letters, 1000U);
  EXPECT_GT(summary.waiting, 0U);
  EXPECT_LE(summary.extra_wait_p99_s, 2.0);
}

// The table in docs/explanation/outage.md.
TEST(simulate_outage,
     breakers_of_forty_processes_let_a_service_recover_and_those_of_two_hundred_do_not) {
  struct Row {
    std::uint32_t processes;
    bool recovers;
    std::uint64_t attempts;
  };
  for (const auto& row : {Row{1, true, 194}, Row{10, true, 283}, Row{40, true, 575},
                          Row{200, false, 1696}, Row{1000, false, 4362}}) {
    auto options = outage(full, 20s);
    options.guard.circuit_breaker = CircuitBreakerOptions{};
    options.processes = row.processes;
    const auto summary = simulate_outage(options).summary;
    EXPECT_EQ(summary.recovery.recovered, row.recovers) << row.processes;
    EXPECT_EQ(summary.attempts_during_outage, row.attempts) << row.processes;
  }
}

// A sender with one message at a time cannot tell its fault from the service's, and waits.
TEST(simulate_outage, has_no_dead_letters_by_evidence) {
  const auto summary = simulate_outage(limited_senders({})).summary;

  EXPECT_EQ(summary.dead_letters, 0U);
  EXPECT_NEAR(static_cast<double>(summary.waiting), 950, 25);
}

// A call each four seconds, so a message dies each twelve: the first after 10 s of the 30 s.
TEST(simulate_outage, has_dead_letters_by_the_old_counting_whose_clients_want_something_new) {
  const auto summary = simulate_outage(limited_senders(Charging::every_failure())).summary;

  EXPECT_GT(summary.dead_letters, 500U);
  EXPECT_LT(summary.dead_letters, 3000U);
  EXPECT_EQ(summary.still_waiting, 0U);
}

// A client whose patience ends before its answer comes calls every 150 ms, and all work for it is
// lost.
TEST(simulate_outage, work_that_was_lost_before_the_outage_is_not_counted) {
  auto options = outage(fixed_100ms, 0s);
  options.clients = 1;
  options.timeout = 50ms;
  options.watch = 60s;
  EXPECT_NEAR(static_cast<double>(simulate_outage(options).summary.lost_work), 400, 3);
}

} // namespace backoff_actor::outage_test
