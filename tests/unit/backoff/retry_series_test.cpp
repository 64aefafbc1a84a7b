#include "backoff_actor/backoff/retry_series.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::retry_series_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr Instant at(Duration since_begin) { return Instant{since_begin}; }

// Delays of 1 s, 2 s, 4 s, and then 8 s for ever.
const Policy doubling = Exponential{.first = 1s, .factor = 2, .cap = 8s};

const Policy each_second = Fixed{.delay = 1s};

RetrySeries series_of(const Policy& policy, const Limits& limits, Instant now = at(0s)) {
  return RetrySeries{BackOff{policy}, limits, now};
}

// "2s at 5s", or the reason.
std::string shown(const RetrySeries::Next& next) {
  if (const auto* retry = std::get_if<RetrySeries::Retry>(&next))
    return to_string(retry->delay) + " at " + to_string(retry->due.since_origin);
  return std::string{to_string(std::get<RetrySeries::GiveUp>(next).reason)};
}

// An attempt without success that takes no time.
std::string fail(RetrySeries& series, Instant now, const Assessment& assessment = retryable) {
  series.begin_attempt(now);
  return shown(series.failed(now, assessment));
}

// What the attempts come to, each of which fails at once, as soon as it is due.
std::vector<std::string> run_of(const Policy& policy, const Limits& limits, std::size_t at_most) {
  auto series = series_of(policy, limits);
  std::vector<std::string> result;
  for (auto now = at(0s); result.size() < at_most;) {
    series.begin_attempt(now);
    const auto next = series.failed(now, retryable);
    result.push_back(shown(next));
    const auto* retry = std::get_if<RetrySeries::Retry>(&next);
    if (!retry)
      break;
    now = retry->due;
  }
  return result;
}

// -- delays ---------------------------------------------------------------------------

TEST(retry_series, has_the_delays_of_its_policy_one_after_the_other) {
  EXPECT_THAT(run_of(doubling, {}, 5),
              ElementsAre("1s at 1s", "2s at 3s", "4s at 7s", "8s at 15s", "8s at 23s"));
}

TEST(retry_series, counts_a_delay_from_the_end_of_the_attempt) {
  auto series = series_of(doubling, {});
  series.begin_attempt(at(10s));

  EXPECT_EQ(shown(series.failed(at(13s), retryable)), "1s at 14s");
}

TEST(retry_series, of_the_same_seed_and_stream_is_the_same) {
  const Policy random = Exponential{.first = 1s} | full_jitter;
  const auto first_delay = [&](std::uint64_t seed, std::uint64_t stream) {
    RetrySeries series{BackOff{random, seed, stream}, {}, at(0s)};
    return fail(series, at(0s));
  };
  EXPECT_EQ(first_delay(7, 3), first_delay(7, 3));
  EXPECT_NE(first_delay(7, 3), first_delay(7, 4));
  EXPECT_NE(first_delay(7, 3), first_delay(8, 3));
}

TEST(retry_series, waits_for_ever_rather_than_turning_back_at_the_end_of_time) {
  auto series = series_of(each_second, {}, at(Duration::max() - 500ms));

  EXPECT_EQ(fail(series, at(Duration::max() - 500ms)),
            "1s at " + to_string(Instant::never().since_origin));
}

// -- what is said of a failure --------------------------------------------------------

TEST(retry_series, ends_with_a_failure_that_is_final) {
  auto series = series_of(doubling, {});
  EXPECT_EQ(fail(series, at(0s), not_retryable), "not_retryable");
}

TEST(retry_series, takes_success_that_is_called_a_failure_for_final) {
  auto series = series_of(doubling, {});
  EXPECT_EQ(fail(series, at(0s), success), "not_retryable");
}

TEST(retry_series, takes_the_longer_of_its_delay_and_the_servers_wish) {
  const struct {
    Duration hint;
    const char* expected;
  } rows[] = {
    {-1h, "1s at 1s"},
    {Duration::min(), "1s at 1s"},
    {0s, "1s at 1s"},
    {999ms, "1s at 1s"},
    {1s, "1s at 1s"},
    {1s + 1ns, "1.000000001s at 1.000000001s"},
    {10s, "10s at 10s"},
    {5min, "5min at 5min"},
    {5min + 1ns, "retry_after_too_long"},
    {Duration::max(), "retry_after_too_long"},
  };
  for (const auto& row : rows) {
    auto series = series_of(doubling, {});
    EXPECT_EQ(fail(series, at(0s), retryable_after(row.hint)), row.expected) << to_string(row.hint);
  }
}

TEST(retry_series, goes_on_with_its_own_delays_after_a_wish) {
  auto series = series_of(doubling, {});
  EXPECT_EQ(fail(series, at(0s), retryable_after(60s)), "1min at 1min");
  EXPECT_EQ(fail(series, at(60s)), "2s at 62s");
}

TEST(retry_series, heeds_no_wish_with_a_ceiling_of_zero_but_goes_on_without_one) {
  auto series = series_of(doubling, {.retry_after = 0s});
  EXPECT_EQ(fail(series, at(0s), retryable_after(0s)), "1s at 1s");
  EXPECT_EQ(fail(series, at(1s)), "2s at 3s");
  EXPECT_EQ(fail(series, at(3s), retryable_after(1ns)), "retry_after_too_long");
}

TEST(retry_series, heeds_a_wish_without_end_if_it_is_allowed_to) {
  auto series = series_of(doubling, {.retry_after = Duration::max()});
  EXPECT_EQ(shown(series.failed(at(5s), retryable_after(Duration::max()))),
            to_string(Duration::max()) + " at " + to_string(Duration::max()));
}

TEST(retry_series, reads_the_servers_wish_as_its_limits_say) {
  using Reading = RetryAfterReading;
  const struct {
    Reading reading;
    Duration hint;
    const char* first;
    const char* second;
  } rows[] = {
    {Reading::without_bound(), 1h, "1h at 1h", "1h at 2h"},
    {Reading::up_to(30s), 31s, "retry_after_too_long", ""},
    {Reading::cut_to(30s), 31s, "30s at 30s", "30s at 1min"},
    {Reading::cut_to(1500ms), 31s, "1.5s at 1.5s", "2s at 3.5s"},
    {Reading::cut_to(1500ms).in_place_of_backoff(), 31s, "1.5s at 1.5s", "1.5s at 3s"},
    {Reading::cut_to_backoff_plus(5s), 120s, "6s at 6s", "7s at 13s"},
    {Reading::ignored(), 120s, "1s at 1s", "2s at 3s"},
    {Reading{}.in_place_of_backoff(), 0s, "0ns at 0ns", "0ns at 0ns"},
  };
  for (const auto& row : rows) {
    auto series = series_of(doubling, {.retry_after = row.reading});
    const auto next = series.failed(at(0s), retryable_after(row.hint));
    EXPECT_EQ(shown(next), row.first) << to_string(row.reading);
    if (const auto* retry = std::get_if<RetrySeries::Retry>(&next)) {
      EXPECT_EQ(fail(series, retry->due, retryable_after(row.hint)), row.second)
        << to_string(row.reading);
    }
  }
}

// -- classes of failures -----------------------------------------------------------------

RetrySeries series_by(const ByReason& by_reason, const Limits& limits = {}) {
  return RetrySeries{BackOff{doubling}, limits, at(0s), by_reason};
}

TEST(retry_series, waits_as_the_class_of_the_failure_says) {
  auto series = series_by("slow: backoff linear(10s, +10s, cap 1h), cost 5");
  EXPECT_EQ(fail(series, at(0s), retryable_as("other")), "1s at 1s");
  EXPECT_EQ(series.cost(), 1);
  EXPECT_EQ(fail(series, at(1s), retryable_as("slow")), "20s at 21s") << "the second in a row";
  EXPECT_EQ(series.cost(), 5);
  EXPECT_EQ(series.last_backoff().policy(), Policy{"linear(10s, +10s, cap 1h)"});
  EXPECT_EQ(fail(series, at(21s)), "4s at 25s");
  EXPECT_EQ(series.last_backoff(), series.backoff());
  EXPECT_EQ(fail(series, at(25s), retryable_after(50s, "slow")), "50s at 75s");
}

TEST(retry_series, gives_up_as_the_class_of_the_failure_says) {
  const Limits limits{.max_attempts = 3};
  auto rare = series_by("rare: max_attempts 1; often: max_attempts 4", limits);
  EXPECT_EQ(fail(rare, at(0s)), "1s at 1s");
  EXPECT_EQ(fail(rare, at(1s), retryable_as("rare")), "attempts_exhausted");

  auto often = series_by("rare: max_attempts 1; often: max_attempts 4", limits);
  EXPECT_EQ(fail(often, at(0s), retryable_as("often")), "1s at 1s");
  EXPECT_EQ(fail(often, at(1s), retryable_as("often")), "2s at 3s");
  EXPECT_EQ(fail(often, at(3s), retryable_as("often")), "4s at 7s");
  EXPECT_EQ(fail(often, at(7s), retryable_as("often")), "attempts_exhausted");
}

TEST(retry_series, begins_the_waits_of_a_class_anew_after_a_healthy_attempt) {
  auto series = series_by("slow: backoff linear(10s, +10s, cap 1h)", {.reset_after = 1min});
  EXPECT_EQ(fail(series, at(0s), retryable_as("slow")), "10s at 10s");
  series.begin_attempt(at(10s));
  EXPECT_EQ(shown(series.failed(at(70s), retryable_as("slow"))), "10s at 80s");
}

// -- how often ------------------------------------------------------------------------

TEST(retry_series, has_as_many_attempts_as_the_limit_says) {
  EXPECT_THAT(run_of(each_second, {.max_attempts = 1}, 9), ElementsAre("attempts_exhausted"));
  EXPECT_THAT(run_of(each_second, {.max_attempts = 2}, 9),
              ElementsAre("1s at 1s", "attempts_exhausted"));
  EXPECT_THAT(run_of(each_second, {.max_attempts = 4}, 9),
              ElementsAre("1s at 1s", "1s at 2s", "1s at 3s", "attempts_exhausted"));
}

TEST(retry_series, without_limits_has_no_end) {
  EXPECT_EQ(run_of(each_second, {}, 10'000).back(), "1s at " + to_string(Duration{10'000s}));
}

TEST(retry_series, stays_ended_if_it_is_asked_again) {
  auto series = series_of(each_second, {.max_attempts = 1});
  EXPECT_EQ(fail(series, at(0s)), "attempts_exhausted");
  EXPECT_EQ(fail(series, at(1s)), "attempts_exhausted");
}

TEST(retry_series, knows_its_last_attempt) {
  auto series = series_of(each_second, {.max_attempts = 3});
  std::vector<bool> last;
  for (const auto second : {0s, 1s, 2s}) {
    series.begin_attempt(at(second));
    last.push_back(series.is_last_attempt());
    series.failed(at(second), retryable);
  }
  EXPECT_THAT(last, ElementsAre(false, false, true));
  EXPECT_FALSE(series_of(each_second, {}).is_last_attempt());
  EXPECT_TRUE(series_of(each_second, {.max_attempts = 1}).is_last_attempt());
}

TEST(retry_series, counts_attempts_when_they_begin) {
  auto series = series_of(each_second, {.max_attempts = 2});
  EXPECT_EQ(series.attempts(), 0u);
  series.begin_attempt(at(0s));
  EXPECT_EQ(series.attempts(), 1u);
  series.failed(at(0s), retryable);
  EXPECT_EQ(series.attempts(), 1u);
  series.begin_attempt(at(1s));
  series.failed(at(1s), retryable);
  EXPECT_EQ(series.attempts(), 2u);
}

// -- how long -------------------------------------------------------------------------

TEST(retry_series, begins_no_retry_at_the_limit_or_later) {
  const struct {
    Duration max_elapsed;
    std::vector<std::string> expected; // of delays of 1 s, 2 s, 4 s
  } rows[] = {
    {1us, {"out_of_time"}},
    {1s, {"out_of_time"}},
    {1s + 1ns, {"1s at 1s", "out_of_time"}},
    {3s, {"1s at 1s", "out_of_time"}},
    {3s + 1ns, {"1s at 1s", "2s at 3s", "out_of_time"}},
    {7s, {"1s at 1s", "2s at 3s", "out_of_time"}},
    {8s, {"1s at 1s", "2s at 3s", "4s at 7s", "out_of_time"}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(run_of(doubling, {.max_elapsed = row.max_elapsed}, 9), row.expected)
      << to_string(row.max_elapsed);
}

TEST(retry_series, counts_elapsed_time_from_when_it_was_made) {
  auto series = series_of(each_second, {.max_elapsed = 10s}, at(100s));
  EXPECT_EQ(fail(series, at(108s)), "1s at 109s");
  EXPECT_EQ(fail(series, at(109s)), "out_of_time");
  EXPECT_EQ(series.elapsed(at(109s)), 9s);
}

TEST(retry_series, is_out_of_time_from_the_limit_on) {
  const auto series = series_of(each_second, {.max_elapsed = 10s}, at(100s));
  EXPECT_FALSE(series.is_out_of_time(at(110s - 1ns)));
  EXPECT_TRUE(series.is_out_of_time(at(110s)));
  EXPECT_FALSE(series_of(each_second, {}).is_out_of_time(Instant::never()));
}

TEST(retry_series, gives_an_attempt_its_timeout_or_what_is_left_if_that_is_less) {
  const struct {
    std::optional<Duration> attempt_timeout;
    std::optional<Duration> max_elapsed;
    std::optional<Duration> reset_after;
    std::optional<Duration> at_0s, at_8s, at_20s;
  } rows[] = {
    {{}, {}, {}, {}, {}, {}},  {3s, {}, {}, 3s, 3s, 3s},    {{}, 10s, {}, 10s, 2s, 0s},
    {3s, 10s, {}, 3s, 2s, 0s}, {30s, 10s, {}, 10s, 2s, 0s}, {{}, 10s, 5s, {}, {}, {}},
    {6s, 10s, 5s, 6s, 6s, 6s},
  };
  for (const auto& row : rows) {
    auto series = series_of(each_second, {.max_elapsed = row.max_elapsed,
                                          .attempt_timeout = row.attempt_timeout,
                                          .reset_after = row.reset_after});
    EXPECT_EQ(series.begin_attempt(at(0s)), row.at_0s);
    EXPECT_EQ(series.begin_attempt(at(8s)), row.at_8s);
    EXPECT_EQ(series.begin_attempt(at(20s)), row.at_20s);
  }
}

// -- the order of reasons -------------------------------------------------------------

TEST(retry_series, gives_the_first_reason_that_applies) {
  const Limits neither;
  const Limits retries{.max_attempts = 1};
  const Limits time{.max_elapsed = 1s};
  const Limits both{.max_attempts = 1, .max_elapsed = 1s};
  const auto too_much = retryable_after(1h);
  const Assessment final_with_hint{Assessment::Kind::final, 1h};
  const struct {
    Assessment assessment;
    Limits limits;
    const char* expected;
  } rows[] = {
    {retryable, neither, "1s at 1s"},
    {retryable, time, "out_of_time"},
    {retryable, retries, "attempts_exhausted"},
    {retryable, both, "attempts_exhausted"},
    {too_much, neither, "retry_after_too_long"},
    {too_much, time, "retry_after_too_long"},
    {too_much, retries, "retry_after_too_long"},
    {too_much, both, "retry_after_too_long"},
    {not_retryable, neither, "not_retryable"},
    {not_retryable, both, "not_retryable"},
    {final_with_hint, both, "not_retryable"},
  };
  for (const auto& row : rows) {
    auto series = series_of(each_second, row.limits);
    EXPECT_EQ(fail(series, at(0s), row.assessment), row.expected);
  }
}

TEST(retry_series, is_out_of_time_if_a_wish_is_heeded_but_comes_too_late) {
  auto series = series_of(each_second, {.max_elapsed = 10s});
  EXPECT_EQ(fail(series, at(0s), retryable_after(9s)), "9s at 9s");
  EXPECT_EQ(fail(series, at(9s), retryable_after(1s)), "out_of_time");
}

// -- health ---------------------------------------------------------------------------

TEST(retry_series, begins_anew_with_the_failure_of_an_attempt_that_went_well_for_long_enough) {
  auto series = series_of(doubling, {.max_attempts = 3, .max_elapsed = 60s, .reset_after = 30s});
  EXPECT_EQ(fail(series, at(0s)), "1s at 1s");
  EXPECT_EQ(fail(series, at(1s)), "2s at 3s");
  series.begin_attempt(at(3s));
  EXPECT_TRUE(series.is_last_attempt());

  EXPECT_EQ(shown(series.failed(at(33s), retryable)), "1s at 34s");

  EXPECT_FALSE(series.is_last_attempt());
  EXPECT_FALSE(series.is_out_of_time(at(93s - 1ns)));
  EXPECT_TRUE(series.is_out_of_time(at(93s)));
  EXPECT_EQ(fail(series, at(34s)), "2s at 36s");
  EXPECT_EQ(fail(series, at(36s)), "attempts_exhausted");
  EXPECT_EQ(series.attempts(), 5u);
  EXPECT_EQ(series.elapsed(at(36s)), 36s);
  EXPECT_EQ(series.backoff().resets(), 1u);
}

TEST(retry_series, goes_on_after_an_attempt_that_went_well_for_a_moment_less) {
  auto series = series_of(doubling, {.reset_after = 30s});
  EXPECT_EQ(fail(series, at(0s)), "1s at 1s");
  series.begin_attempt(at(1s));
  EXPECT_EQ(shown(series.failed(at(31s - 1ns), retryable)), "2s at 32.999999999s");
}

TEST(retry_series, ends_with_a_final_failure_and_with_too_long_a_wish_after_health_too) {
  for (const auto& assessment : {not_retryable, retryable_after(1h)}) {
    auto series = series_of(doubling, {.reset_after = 30s});
    series.begin_attempt(at(0s));
    EXPECT_TRUE(std::holds_alternative<RetrySeries::GiveUp>(series.failed(at(40s), assessment)));
  }
}

// -- limits that cannot be --------------------------------------------------------------

TEST(retry_series, names_all_limits_that_cannot_be_at_once) {
  const Limits bad{.max_attempts = UINT32_MAX,
                   .max_elapsed = 0s,
                   .attempt_timeout = -1s,
                   .retry_after = -1ns,
                   .reset_after = 0s};
  try {
    series_of(each_second, bad);
    FAIL() << "taken";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string{error.what()}, "max_attempts: got -1, allowed 1..1000000000\n"
                                         "max_elapsed: got 0ns, allowed 1us or more\n"
                                         "attempt_timeout: got -1s, allowed 1us or more\n"
                                         "retry_after.bound: got -1ns, allowed 0 or more\n"
                                         "reset_after: got 0ns, allowed 1us or more");
  }
}

TEST(retry_series, refuses_a_time_of_health_that_no_attempt_reaches) {
  try {
    series_of(each_second, {.attempt_timeout = 2s, .reset_after = 2s});
    FAIL() << "taken";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "reset_after: got 2s, allowed less than attempt_timeout, 2s, which "
                               "ends every attempt");
  }
}

TEST(retry_series, does_not_take_an_attempt_that_was_cut_off_for_healthy) {
  auto series =
    series_of(each_second, {.max_attempts = 2, .attempt_timeout = 50s, .reset_after = 30s});
  series.begin_attempt(at(0s));
  EXPECT_EQ(shown(series.failed(at(50s), retryable)), "1s at 51s");
  series.begin_attempt(at(51s));
  EXPECT_EQ(shown(series.failed(at(101s), retryable)), "attempts_exhausted");
}

TEST(retry_series, takes_limits_at_the_edge_of_what_can_be) {
  EXPECT_NO_THROW(series_of(each_second, {.max_attempts = 1'000'000'000,
                                          .max_elapsed = 1us,
                                          .attempt_timeout = 2us,
                                          .retry_after = 0s,
                                          .reset_after = 1us}));
  auto series =
    series_of(each_second, {.max_elapsed = Duration::max(), .retry_after = Duration::max()});
  EXPECT_EQ(fail(series, at(0s)), "1s at 1s");
}

TEST(retry_series_text, names_every_reason) {
  const struct {
    GaveUp reason;
    const char* name;
  } rows[] = {
    {GaveUp::not_retryable, "not_retryable"},
    {GaveUp::attempts_exhausted, "attempts_exhausted"},
    {GaveUp::out_of_time, "out_of_time"},
    {GaveUp::retry_after_too_long, "retry_after_too_long"},
    {GaveUp::cancelled, "cancelled"},
    {GaveUp{77}, "unknown"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(to_string(row.reason), row.name);
}

} // namespace backoff_actor::retry_series_test
