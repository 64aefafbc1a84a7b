#include "backoff_actor/guard/parse_guard.hpp"

#include "common/text_rows.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::parse_guard_test {

namespace {

using namespace std::chrono_literals;

// -- what is read ------------------------------------------------------------------------

constexpr auto plain =
  "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)";

TEST(parse_guard, is_written_in_full_and_read_back_as_the_same_guard) {
  test::expect_read(
    [](const auto& text) { return parse_guard(text); },
    {{"circuit_breaker", plain},
     {"circuit_breaker()", plain},
     {"circuit_breaker(5 failures, open 5s, probes 1)", plain},
     {plain, plain},
     {" circuit_breaker ( probes 1 ,open 5s,5failures ) ", plain},
     {"circuit_breaker(1 failure)",
      "circuit_breaker(1 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)"},
     {"circuit_breaker(open exponential(5s, x2, cap 1min) | equal_jitter, probes 3)",
      "circuit_breaker(5 failures, open exponential(5s, x2, cap 1min) | equal_jitter, probes 3, "
      "spread 5s, probe_timeout 1min)"},
     {"circuit_breaker(open fixed(5s))", plain},
     {"circuit_breaker(open fixed(5s) | full_jitter)",
      "circuit_breaker(5 failures, open fixed(5s) | full_jitter, probes 1, spread 5s, "
      "probe_timeout 1min)"},
     {"circuit_breaker(50% of 100 calls)",
      "circuit_breaker(50% of 100 calls, min_calls 10, open 5s, probes 1, spread 5s, "
      "probe_timeout 1min)"},
     {"circuit_breaker(29% of 5 calls)",
      "circuit_breaker(29% of 5 calls, min_calls 5, open 5s, probes 1, spread 5s, "
      "probe_timeout 1min)"},
     {"circuit_breaker(min_calls 100, 10% within 30s, spread 0s, probe_timeout 10s)",
      "circuit_breaker(10% within 30s, min_calls 100, open 5s, probes 1, spread 0ns, "
      "probe_timeout 10s)"},
     {"retry_budget", "retry_budget(20%, 10/s, window 10s)"},
     {"retry_budget(20%, 10/s)", "retry_budget(20%, 10/s, window 10s)"},
     {"retry_budget(0.5/s, window 1min, 150%)", "retry_budget(150%, 0.5/s, window 1min)"},
     {"retry_budget(0%)", "retry_budget(0%, 10/s, window 10s)"},
     {"retry_budget(0/s)", "retry_budget(20%, 0/s, window 10s)"},
     {"circuit_breaker + retry_budget",
      "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min) + "
      "retry_budget(20%, 10/s, window 10s)"},
     {"retry_budget+circuit_breaker",
      "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min) + "
      "retry_budget(20%, 10/s, window 10s)"},
     {"rate", "rate(50/s, burst 1)"},
     {"rate()", "rate(50/s, burst 1)"},
     {"rate(50/s, burst 5)", "rate(50/s, burst 5)"},
     {"rate(burst 5,100/min)", "rate(100/min, burst 5)"},
     {"rate ( 20 / h )", "rate(20/h, burst 1)"},
     {"rate(burst 3)", "rate(50/s, burst 3)"},
     {"rate(1/250ms)", "rate(1/250ms, burst 1)"},
     {"rate(1/60s)", "rate(1/min, burst 1)"},
     {"rate(7/1.5s)", "rate(7/1.5s, burst 1)"},
     {"rate(1/24h, burst 1000000)", "rate(1/24h, burst 1000000)"},
     {"rate(5/s) + retry_budget", "retry_budget(20%, 10/s, window 10s) + rate(5/s, burst 1)"},
     {"rate(50/s, burst 5) + retry_budget + circuit_breaker",
      "circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min) + "
      "retry_budget(20%, 10/s, window 10s) + rate(50/s, burst 5)"},
     {"none", "none"}});
}

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

TEST(parse_guard, refuses_a_text_at_the_place_that_is_wrong) {
  test::expect_refused(
    [](const auto& text) { return parse_guard(text); },
    {{"", 1, "expected a guard: circuit_breaker, retry_budget, rate or none; found the end"},
     {"breaker", 1,
      "expected a guard: circuit_breaker, retry_budget, rate or none; found 'breaker'; did you "
      "mean circuit_breaker?"},
     {"none + retry_budget", 6, "expected the end; found '+'"},
     {"circuit_breaker, retry_budget", 16, "expected '+' and another guard, or the end; found ','"},
     {"circuit_breaker + circuit_breaker", 19,
      "expected another guard: retry_budget or rate; found 'circuit_breaker'"},
     {"retry_budget + none", 16, "expected another guard: circuit_breaker or rate; found 'none'"},
     {"rate + retry_budget + rates", 23, "expected another guard: circuit_breaker; found 'rates'"},
     {"circuit_breaker + rate + retry_buget", 26,
      "expected another guard: retry_budget; found 'retry_buget'; did you mean "
      "retry_budget?"},
     {"circuit_breaker +", 18, "expected another guard: retry_budget or rate; found the end"},
     {"rate rate", 6, "expected '+' and another guard, or the end; found 'rate'"},
     {"circuit_breaker + retry_budget + none", 34, "expected another guard: rate; found 'none'"},
     {"circuit_breaker + retry_budget + rate + none", 39, "expected the end; found '+'"},
     {"circuit_breaker(5)", 18, "expected 'failures'; found ')'"},
     {"circuit_breaker(5 calls)", 19, "expected 'failures'; found 'calls'"},
     {"circuit_breaker(50%)", 20,
      "expected 'of' and a number of calls such as 100 calls, or 'within' and a span such as "
      "30s; found ')'"},
     {"circuit_breaker(50% of 30s)", 26, "expected 'calls'; found 's'"},
     {"circuit_breaker(50% within 100)", 28,
      "expected a span such as 30s; found '100'; add a unit: 100ms or 100s"},
     {"circuit_breaker(open 5)", 22,
      "expected a span such as 5s; found '5'; add a unit: 5ms or 5s"},
     {"circuit_breaker(open soon)", 22,
      "expected a policy: decorrelated, ethernet, exponential, fixed, like, linear, "
      "memorystore, polynomial, random_slots, seed002 or steps; found 'soon'"},
     {"circuit_breaker(open fixed(5s) | wild_jitter)", 34,
      "expected a jitter or another part: additive_jitter, equal_jitter, first_wait, "
      "full_jitter, gaussian_jitter, no_jitter, proportional_jitter or whole_seconds; found "
      "'wild_jitter'; did you mean full_jitter?"},
     {"circuit_breaker(probes one)", 24, "expected a whole number such as 10; found 'one'"},
     {"circuit_breaker(min_calls 3)", 17,
      "expected no 'min_calls' without a part of the calls such as 50% of 100 calls; found "
      "'min_calls'"},
     {"circuit_breaker(0 failures, probes 0)", 17,
      "failures: got 0, allowed 1..1000000; probes: got 0, allowed 1..1000000"},
     {"circuit_breaker(150% of 10 calls, min_calls 20)", 17,
      "ratio: got 150%, allowed more than 0%, to 100%; minimum_calls: got 20, allowed 1..10"},
     {"circuit_breaker(open 0s)", 17, "open: got 0ns, allowed a policy with delays above 0ns"},
     {"circuit_breaker(open 876001h)", 22, "delay: got 876001h, allowed 0ns..876000h"},
     {"circuit_breaker(spread 25h)", 17, "spread: got 25h, allowed 0ns..24h"},
     {"circuit_breaker(probe_timeout 0s)", 17, "probe_timeout: got 0ns, allowed 1ns..24h"},
     {"retry_budget(20%, 0.0001/s)", 19,
      "per_second: got 0.0001/s, allowed 0/s, or 0.001/s..1000000/s"},
     {"retry_budget(0%, 0/s)", 18,
      "per_second: got 0/s, allowed more than 0/s, unless the ratio is"},
     {"retry_budget(10/m)", 14, "expected a rate such as 10/s; found '10'"},
     {"retry_budget(window 1ms)", 14, "window: got 1ms, allowed 10ms..24h"},
     {"rate(50)", 8, "expected '/' and a period such as s, min or 250ms; found ')'"},
     {"rate(50/)", 9, "expected a period: s, min, h, or a span such as 250ms; found ')'"},
     {"rate(50/sec)", 9, "expected a period: s, min, h, or a span such as 250ms; found 'sec'"},
     {"rate(50/250)", 9, "expected a span such as 250ms; found '250'; add a unit: 250ms or 250s"},
     {"rate(0.5/s)", 6, "expected a number of calls such as 50/s, 100/min or 1/250ms; found '0.5'"},
     {"rate(9999999999/s)", 6,
      "expected a number of calls such as 50/s, 100/min or 1/250ms; found '9999999999'"},
     {"rate(fast)", 6,
      "expected a number of calls such as 50/s, 100/min or 1/250ms, or 'burst' and a whole "
      "number such as 10; found 'fast'"},
     {"rate(50/s, 60/s)", 12, "expected 'burst' and a whole number such as 10; found '60'"},
     {"rate(50/s, burst few)", 18, "expected a whole number such as 10; found 'few'"},
     {"rate(0/s, burst 0)", 6,
      "calls: got 0, allowed 1..1000000; burst: got 0, allowed 1..1000000"},
     {"rate(burst 1000001)", 6, "burst: got 1000001, allowed 1..1000000"},
     {"rate(burst 5, 1/25h)", 15, "per: got 25h, allowed 1ms..24h"},
     {"rate(2000/1ms)", 6, "calls: got 2000, allowed 1..1000"},
     {"circuit_breaker(0 failures) + rate(0/s)", 17, "failures: got 0, allowed 1..1000000"},
     {"retry_budget(20)", 14,
      "expected a percentage such as 20%, or a rate such as 10/s, or 'window' and a span such "
      "as 30s; found '20'"}});
}

} // namespace

} // namespace backoff_actor::parse_guard_test
