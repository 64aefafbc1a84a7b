#include "backoff_actor/guard/parse_guard.hpp"

#include "backoff_actor/backoff/internal/text_parser.hpp"

#include <algorithm>
#include <optional>
#include <string>

// guard   := 'none' | part { '+' part }    each part once
// part    := breaker | budget | rate
// breaker := 'circuit_breaker' [ '(' [ argument { ',' argument } ] ')' ]
// budget  := 'retry_budget' [ '(' [ argument { ',' argument } ] ')' ]
// rate    := 'rate' [ '(' [ argument { ',' argument } ] ')' ]

namespace backoff_actor {

namespace {

class GuardParser : public detail::PolicyParser {
public:
  using PolicyParser::PolicyParser;

  GuardOptions guard() {
    GuardOptions result;
    do
      part(result);
    while (!is_complete(result) && !is_none_ && accept("+"));
    if (!is_at_end())
      fail(is_none_ || is_complete(result) ? "the end" : "'+' and another guard, or the end");
    if (result.circuit_breaker)
      raise_if_any(check(*result.circuit_breaker), breaker_column_, breaker_columns_);
    if (result.retry_budget)
      raise_if_any(check(*result.retry_budget), budget_column_, budget_columns_);
    if (result.rate)
      raise_if_any(check(*result.rate), rate_column_, rate_columns_);
    return result;
  }

private:
  static bool is_complete(const GuardOptions& options) {
    return options.circuit_breaker && options.retry_budget && options.rate;
  }

  // The parts that could still come.
  static std::string names_left(const GuardOptions& options) {
    if (options.empty())
      return "a guard: circuit_breaker, retry_budget, rate or none";
    std::string result;
    const auto add = [&](bool is_there, const char* name) {
      if (!is_there)
        result.append(result.empty() ? "another guard: " : " or ").append(name);
    };
    add(options.circuit_breaker.has_value(), "circuit_breaker");
    add(options.retry_budget.has_value(), "retry_budget");
    add(options.rate.has_value(), "rate");
    return result;
  }

  void part(GuardOptions& result) {
    const auto names = names_left(result);
    const auto column = next_column();
    const auto name = this->name(names);
    if (name == "circuit_breaker" && !result.circuit_breaker) {
      breaker_column_ = column;
      result.circuit_breaker = breaker();
    } else if (name == "retry_budget" && !result.retry_budget) {
      budget_column_ = column;
      result.retry_budget = budget();
    } else if (name == "rate" && !result.rate) {
      rate_column_ = column;
      result.rate = rate();
    } else if (name == "none" && result.empty()) {
      is_none_ = true;
    } else {
      fail_at_name(names);
    }
  }

  // -- circuit breaker ----------------------------------------------------------------

  CircuitBreakerOptions breaker() {
    CircuitBreakerOptions result;
    auto probes = static_cast<int>(result.probes);
    std::optional<int> minimum_calls;
    arguments({
      {"failures", "", Form::other,
       Other{"a number of failures such as 5 failures, or a part such as 50% of 100 calls or 10% "
             "within 30s",
             [this] { return is_at_digit(); }, [&] { result.trip = trip(); }}},
      {"open", "open", Form::other,
       Other{"a span such as 5s, or a policy such as exponential(5s, x2, cap 1min)",
             {},
             [&] { result.open = open(); }}},
      {"probes", "probes", Form::whole, &probes},
      {"spread", "spread", Form::span, &result.spread},
      {"probe_timeout", "probe_timeout", Form::span, &result.probe_timeout},
      {"minimum_calls", "min_calls", Form::other,
       Other{"a whole number such as 10",
             {},
             [&] { minimum_calls = whole("a whole number such as 10"); }}},
    });
    breaker_columns_ = take_columns();
    for (const auto& [field, column] : Columns{breaker_columns_})
      if (field == "failures") // the problems of a trip may name other fields
        for (const auto* const other : {"ratio", "calls", "within"})
          breaker_columns_.emplace_back(other, column);
    result.probes = unsigned_of(probes);
    if (minimum_calls)
      set_minimum_calls(result.trip, unsigned_of(*minimum_calls));
    return result;
  }

  Trip trip() {
    const auto begin = position();
    double ratio = 0;
    if (accept_number(ratio, "e-2", "%")) {
      if (accept("of"))
        return of_calls(ratio);
      if (accept("within"))
        return of_time(ratio);
      fail("'of' and a number of calls such as 100 calls, or 'within' and a span such as 30s");
    }
    go_to(begin);
    ConsecutiveFailures result;
    result.failures = unsigned_of(whole("a number of failures such as 5 failures"));
    expect("failures", "failure");
    return result;
  }

  FailureRatioOfCalls of_calls(double ratio) {
    next_column();
    FailureRatioOfCalls result;
    result.ratio = ratio;
    result.calls = unsigned_of(whole("a number of calls such as 100 calls"));
    // The default must not exceed the number of calls.
    result.minimum_calls = std::min(result.minimum_calls, std::max(result.calls, 1U));
    expect("calls", "call");
    return result;
  }

  FailureRatioOfTime of_time(double ratio) {
    next_column();
    FailureRatioOfTime result;
    result.ratio = ratio;
    if (!accept_span(result.within))
      fail_at_span("a span such as 30s");
    return result;
  }

  void set_minimum_calls(Trip& trip, std::uint32_t calls) {
    if (auto* const of_calls = std::get_if<FailureRatioOfCalls>(&trip))
      of_calls->minimum_calls = calls;
    else if (auto* const of_time = std::get_if<FailureRatioOfTime>(&trip))
      of_time->minimum_calls = calls;
    else
      fail_for_minimum_calls();
  }

  // A trip by consecutive failures has no minimum number of calls.
  [[noreturn]] void fail_for_minimum_calls() {
    for (const auto& [field, column] : breaker_columns_)
      if (field == "minimum_calls")
        go_to(column - 1);
    fail("no 'min_calls' without a part of the calls such as 50% of 100 calls");
  }

  Policy open() {
    if (!is_at_digit())
      return nested_policy();
    const auto column = next_column();
    Fixed result;
    if (!accept_span(result.delay))
      fail_at_span("a span such as 5s");
    raise_if_any(check(result), column, {});
    return result;
  }

  // Keeps the columns of the policy's own arguments out of the guard's columns.
  Policy nested_policy() {
    auto columns = take_columns();
    const auto result = policy(Extent::part);
    put_back_columns(std::move(columns));
    return result;
  }

  // -- retry budget -------------------------------------------------------------------

  RetryBudgetOptions budget() {
    RetryBudgetOptions result;
    arguments({
      {"ratio", "", Form::other,
       Other{"a percentage such as 20%", [this] { return is_number_before('%'); },
             [&] { accept_number(result.ratio, "e-2", "%"); }}},
      {"per_second", "", Form::other,
       Other{"a rate such as 10/s", [this] { return is_number_before('/'); },
             [&] {
               if (!accept_number(result.per_second, "", "/s"))
                 fail("a rate such as 10/s");
             }}},
      {"window", "window", Form::span, &result.window},
    });
    budget_columns_ = take_columns();
    return result;
  }

  // -- rate ---------------------------------------------------------------------------

  RateOptions rate() {
    RateOptions result;
    auto burst = static_cast<int>(result.burst);
    arguments({
      {"calls", "", Form::other,
       Other{"a number of calls such as 50/s, 100/min or 1/250ms", [this] { return is_at_digit(); },
             [&] { calls_in_period(result); }}},
      {"burst", "burst", Form::whole, &burst},
    });
    rate_columns_ = take_columns();
    for (const auto& [field, column] : Columns{rate_columns_})
      if (field == "calls")
        rate_columns_.emplace_back("per", column);
    result.burst = unsigned_of(burst);
    return result;
  }

  void calls_in_period(RateOptions& result) {
    using namespace std::chrono_literals;
    result.calls = unsigned_of(whole("a number of calls such as 50/s, 100/min or 1/250ms"));
    if (!accept("/"))
      fail("'/' and a period such as s, min or 250ms");
    next_column();
    if (is_at_digit()) {
      if (!accept_span(result.per))
        fail_at_span("a span such as 250ms");
      return;
    }
    constexpr auto* periods = "a period: s, min, h, or a span such as 250ms";
    const auto unit = name(periods);
    if (unit != "s" && unit != "min" && unit != "h")
      fail_at_name(periods);
    result.per = unit == "s" ? 1s : unit == "min" ? Duration{1min} : Duration{1h};
  }

  // -- pieces -------------------------------------------------------------------------

  bool is_number_before(char c) {
    const auto begin = position();
    double ignored = 0;
    const auto result = accept_number(ignored, "", std::string_view{&c, 1});
    go_to(begin);
    return result;
  }

  int whole(const std::string& expected) {
    int result = 0;
    if (!accept_whole(result))
      fail(expected);
    return result;
  }

  void expect(std::string_view plural, std::string_view singular) {
    if (!accept(plural) && !accept(singular))
      fail(std::string{"'"}.append(plural).append("'"));
  }

  // Digits only are read, so it is not negative.
  static std::uint32_t unsigned_of(int number) { return static_cast<std::uint32_t>(number); }

  using Other = detail::Argument::Other;

  Columns breaker_columns_;
  Columns budget_columns_;
  Columns rate_columns_;
  std::size_t breaker_column_ = 0;
  std::size_t budget_column_ = 0;
  std::size_t rate_column_ = 0;
  bool is_none_ = false;
};

} // namespace

GuardOptions parse_guard(std::string_view text) { return GuardParser{text}.guard(); }

} // namespace backoff_actor
