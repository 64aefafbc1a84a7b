#include "backoff_actor/guard/parse_guard.hpp"

#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::parse_guard_test {

namespace {

using namespace std::chrono_literals;

// -- what is read ------------------------------------------------------------------------

struct Read {
  const char* text;
  const char* printed;

  friend void PrintTo(const Read& row, std::ostream* out) { *out << row.text; }
};

class GuardText : public ::testing::TestWithParam<Read> {};

TEST_P(GuardText, is_printed_in_full) {
  EXPECT_EQ(to_string(parse_guard(GetParam().text)), GetParam().printed);
}

TEST_P(GuardText, is_read_back_as_the_same_guard) {
  const auto guard = parse_guard(GetParam().text);
  EXPECT_EQ(parse_guard(to_string(guard)), guard);
}

constexpr auto plain =
  "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)";

INSTANTIATE_TEST_SUITE_P(
  texts, GuardText,
  ::testing::Values(
    Read{"circuit_breaker", plain}, Read{"circuit_breaker()", plain},
    Read{"circuit_breaker(5 failures, open 5s, probes 1)", plain}, Read{plain, plain},
    Read{" circuit_breaker ( probes 1 ,open 5s,5failures ) ", plain},
    Read{"circuit_breaker(1 failure)",
         "circuit_breaker(1 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)"},
    Read{"circuit_breaker(open exponential(5s, x2, cap 1min) | equal_jitter, probes 3)",
         "circuit_breaker(5 failures, open exponential(5s, x2, cap 1min) | equal_jitter, probes 3, "
         "spread 5s, probe_timeout 1min)"},
    Read{"circuit_breaker(open fixed(5s))", plain},
    Read{"circuit_breaker(open fixed(5s) | full_jitter)",
         "circuit_breaker(5 failures, open fixed(5s) | full_jitter, probes 1, spread 5s, "
         "probe_timeout 1min)"},
    Read{"circuit_breaker(50% of 100 calls)",
         "circuit_breaker(50% of 100 calls, min_calls 10, open 5s, probes 1, spread 5s, "
         "probe_timeout 1min)"},
    Read{"circuit_breaker(29% of 5 calls)",
         "circuit_breaker(29% of 5 calls, min_calls 5, open 5s, probes 1, spread 5s, "
         "probe_timeout 1min)"},
    Read{"circuit_breaker(min_calls 100, 10% within 30s, spread 0s, probe_timeout 10s)",
         "circuit_breaker(10% within 30s, min_calls 100, open 5s, probes 1, spread 0ns, "
         "probe_timeout 10s)"},
    Read{"retry_budget", "retry_budget(20%, 10/s, window 10s)"},
    Read{"retry_budget(20%, 10/s)", "retry_budget(20%, 10/s, window 10s)"},
    Read{"retry_budget(0.5/s, window 1min, 150%)", "retry_budget(150%, 0.5/s, window 1min)"},
    Read{"retry_budget(0%)", "retry_budget(0%, 10/s, window 10s)"},
    Read{"retry_budget(0/s)", "retry_budget(20%, 0/s, window 10s)"},
    Read{"circuit_breaker + retry_budget",
         "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min) + "
         "retry_budget(20%, 10/s, window 10s)"},
    Read{"retry_budget+circuit_breaker",
         "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min) + "
         "retry_budget(20%, 10/s, window 10s)"},
    Read{"rate", "rate(50/s, burst 1)"}, Read{"rate()", "rate(50/s, burst 1)"},
    Read{"rate(50/s, burst 5)", "rate(50/s, burst 5)"},
    Read{"rate(burst 5,100/min)", "rate(100/min, burst 5)"},
    Read{"rate ( 20 / h )", "rate(20/h, burst 1)"}, Read{"rate(burst 3)", "rate(50/s, burst 3)"},
    Read{"rate(1/250ms)", "rate(1/250ms, burst 1)"}, Read{"rate(1/60s)", "rate(1/min, burst 1)"},
    Read{"rate(7/1.5s)", "rate(7/1.5s, burst 1)"},
    Read{"rate(1/24h, burst 1000000)", "rate(1/24h, burst 1000000)"},
    Read{"rate(5/s) + retry_budget", "retry_budget(20%, 10/s, window 10s) + rate(5/s, burst 1)"},
    Read{"rate(50/s, burst 5) + retry_budget + circuit_breaker",
         "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min) + "
         "retry_budget(20%, 10/s, window 10s) + rate(50/s, burst 5)"},
    Read{"none", "none"}));

TEST(parse_guard, gives_the_options_that_the_types_make) {
  GuardOptions options;
  options.circuit_breaker.emplace();
  options.circuit_breaker->trip = FailureRatioOfTime{0.1, 30s, 100};
  options.circuit_breaker->open = Exponential{.first = 5s, .factor = 2, .cap = 1min} | full_jitter;
  options.circuit_breaker->probes = 3;
  options.circuit_breaker->spread = 2s;
  options.circuit_breaker->probe_timeout = 20s;
  options.retry_budget = RetryBudgetOptions{0.1, 5, 20s};
  options.rate = RateOptions{100, 1min, 7};
  EXPECT_EQ(
    parse_guard("circuit_breaker(10% within 30s, min_calls 100, open exponential(5s, x2, cap "
                "1min) | full_jitter, probes 3, spread 2s, probe_timeout 20s) + "
                "retry_budget(10%, 5/s, window 20s) + rate(100/min, burst 7)"),
    options);
}

// -- what is refused -----------------------------------------------------------------------

struct Refused {
  const char* text;
  std::size_t column;
  const char* problem;

  friend void PrintTo(const Refused& row, std::ostream* out) { *out << row.text; }
};

class NoGuardText : public ::testing::TestWithParam<Refused> {};

TEST_P(NoGuardText, is_refused_at_the_place_that_is_wrong) {
  try {
    const auto guard = parse_guard(GetParam().text);
    FAIL() << "read as " << to_string(guard);
  } catch (const ParseError& error) {
    EXPECT_EQ(error.column(), GetParam().column);
    EXPECT_EQ(error.problem(), GetParam().problem);
  }
}

INSTANTIATE_TEST_SUITE_P(
  texts, NoGuardText,
  ::testing::Values(
    Refused{"", 1, "expected a guard: circuit_breaker, retry_budget, rate or none; found the end"},
    Refused{
      "breaker", 1,
      "expected a guard: circuit_breaker, retry_budget, rate or none; found 'breaker'; did you "
      "mean circuit_breaker?"},
    Refused{"none + retry_budget", 6, "expected the end; found '+'"},
    Refused{"circuit_breaker, retry_budget", 16,
            "expected '+' and another guard, or the end; found ','"},
    Refused{"circuit_breaker + circuit_breaker", 19,
            "expected another guard: retry_budget or rate; found 'circuit_breaker'"},
    Refused{"retry_budget + none", 16,
            "expected another guard: circuit_breaker or rate; found 'none'"},
    Refused{"rate + retry_budget + rates", 23,
            "expected another guard: circuit_breaker; found 'rates'"},
    Refused{"circuit_breaker + rate + retry_buget", 26,
            "expected another guard: retry_budget; found 'retry_buget'; did you mean "
            "retry_budget?"},
    Refused{"circuit_breaker +", 18, "expected another guard: retry_budget or rate; found the end"},
    Refused{"rate rate", 6, "expected '+' and another guard, or the end; found 'rate'"},
    Refused{"circuit_breaker + retry_budget + none", 34,
            "expected another guard: rate; found 'none'"},
    Refused{"circuit_breaker + retry_budget + rate + none", 39, "expected the end; found '+'"},
    Refused{"circuit_breaker(5)", 18, "expected 'failures'; found ')'"},
    Refused{"circuit_breaker(5 calls)", 19, "expected 'failures'; found 'calls'"},
    Refused{"circuit_breaker(50%)", 20,
            "expected 'of' and a number of calls such as 100 calls, or 'within' and a span such as "
            "30s; found ')'"},
    Refused{"circuit_breaker(50% of 30s)", 26, "expected 'calls'; found 's'"},
    Refused{"circuit_breaker(50% within 100)", 28,
            "expected a span such as 30s; found '100'; add a unit: 100ms or 100s"},
    Refused{"circuit_breaker(open 5)", 22,
            "expected a span such as 5s; found '5'; add a unit: 5ms or 5s"},
    Refused{"circuit_breaker(open soon)", 22,
            "expected a policy: decorrelated, ethernet, exponential, fixed, like, linear, "
            "memorystore, polynomial, random_slots, seed002 or steps; found 'soon'"},
    Refused{"circuit_breaker(open fixed(5s) | wild_jitter)", 34,
            "expected a jitter or another part: additive_jitter, equal_jitter, first_wait, "
            "full_jitter, gaussian_jitter, no_jitter, proportional_jitter or whole_seconds; found "
            "'wild_jitter'; did you mean full_jitter?"},
    Refused{"circuit_breaker(probes one)", 24, "expected a whole number such as 10; found 'one'"},
    Refused{"circuit_breaker(min_calls 3)", 17,
            "expected no 'min_calls' without a part of the calls such as 50% of 100 calls; found "
            "'min_calls'"},
    Refused{"circuit_breaker(0 failures, probes 0)", 17,
            "failures: got 0, allowed 1..1000000; probes: got 0, allowed 1..1000000"},
    Refused{"circuit_breaker(150% of 10 calls, min_calls 20)", 17,
            "ratio: got 150%, allowed more than 0%, to 100%; minimum_calls: got 20, allowed 1..10"},
    Refused{"circuit_breaker(open 0s)", 17,
            "open: got 0ns, allowed a policy with delays above 0ns"},
    Refused{"circuit_breaker(open 876001h)", 22, "delay: got 876001h, allowed 0ns..876000h"},
    Refused{"circuit_breaker(spread 25h)", 17, "spread: got 25h, allowed 0ns..24h"},
    Refused{"circuit_breaker(probe_timeout 0s)", 17, "probe_timeout: got 0ns, allowed 1ns..24h"},
    Refused{"retry_budget(20%, 0.0001/s)", 19,
            "per_second: got 0.0001/s, allowed 0/s, or 0.001/s..1000000/s"},
    Refused{"retry_budget(0%, 0/s)", 18,
            "per_second: got 0/s, allowed more than 0/s, unless the ratio is"},
    Refused{"retry_budget(10/m)", 14, "expected a rate such as 10/s; found '10'"},
    Refused{"retry_budget(window 1ms)", 14, "window: got 1ms, allowed 10ms..24h"},
    Refused{"rate(50)", 8, "expected '/' and a period such as s, min or 250ms; found ')'"},
    Refused{"rate(50/)", 9, "expected a period: s, min, h, or a span such as 250ms; found ')'"},
    Refused{"rate(50/sec)", 9,
            "expected a period: s, min, h, or a span such as 250ms; found 'sec'"},
    Refused{"rate(50/250)", 9,
            "expected a span such as 250ms; found '250'; add a unit: 250ms or 250s"},
    Refused{"rate(0.5/s)", 6,
            "expected a number of calls such as 50/s, 100/min or 1/250ms; found '0.5'"},
    Refused{"rate(9999999999/s)", 6,
            "expected a number of calls such as 50/s, 100/min or 1/250ms; found '9999999999'"},
    Refused{"rate(fast)", 6,
            "expected a number of calls such as 50/s, 100/min or 1/250ms, or 'burst' and a whole "
            "number such as 10; found 'fast'"},
    Refused{"rate(50/s, 60/s)", 12, "expected 'burst' and a whole number such as 10; found '60'"},
    Refused{"rate(50/s, burst few)", 18, "expected a whole number such as 10; found 'few'"},
    Refused{"rate(0/s, burst 0)", 6,
            "calls: got 0, allowed 1..1000000; burst: got 0, allowed 1..1000000"},
    Refused{"rate(burst 1000001)", 6, "burst: got 1000001, allowed 1..1000000"},
    Refused{"rate(burst 5, 1/25h)", 15, "per: got 25h, allowed 1ms..24h"},
    Refused{"rate(2000/1ms)", 6, "calls: got 2000, allowed 1..1000"},
    Refused{"circuit_breaker(0 failures) + rate(0/s)", 17, "failures: got 0, allowed 1..1000000"},
    Refused{
      "retry_budget(20)", 14,
      "expected a percentage such as 20%, or a rate such as 10/s, or 'window' and a span such "
      "as 30s; found '20'"}));

} // namespace

} // namespace backoff_actor::parse_guard_test
