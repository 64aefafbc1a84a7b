#include "tune.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"

#include <algorithm>
#include <optional>

namespace backoffctl {

namespace {

constexpr auto tune_description =
  R"(Computes the delays and the parameters of an exponential backoff.

tune computes in both directions, without jitter: from the parameters to the delays before and
after a point in time, and from the delay that you want at a point in time to the parameters.

  a  the first delay (--first)
  r  the factor between one delay and the next (--factor)
  n  the number of an attempt: 1 is the first retry, 0 the call before all retries
  t  the delay before an attempt:         t(n) = a r^(n-1), or --cap if that is less
  T  the elapsed time at an attempt:      T(n) = t(1) + ... + t(n) = a (r^n - 1) / (r - 1)

tune assumes that calls take no time. As long as no delay reaches the cap, it follows that

  t(n+1) = a + (r-1) T(n)      the delay after an attempt, from the elapsed time alone
  n      = log_r(1 + (r-1) T / a)

In the long run, each delay is the same share of the elapsed time: the ratio r - 1. With a ratio
of 0.1, a client notices the end of an outage at most a tenth of the outage, plus a, too late.
)";

constexpr auto tune_footer = R"(
A span is a number with a unit: ns, us, ms, s, min or h.
Use only one of --factor, --ratio, --next and --previous: each determines r.

Examples:
  backoffctl tune --first 1s --factor 2
      the beginning of the series
  backoffctl tune --first 1s --factor 2 --elapsed 1023s
      the attempt that is due after 1023 s, and the delays around it
  backoffctl tune --first 100ms --factor 2 --cap 1min --elapsed 10min
      the same with delays of at most a minute
  backoffctl tune --first 1s --ratio 0.1 --elapsed 1000s
      the factor with which each delay is about a tenth of the elapsed time
  backoffctl tune --first 1s --elapsed 1000s --next 100s
      the factor with which the delay after 1000 s is exactly 100 s
  backoffctl tune --first 1s --elapsed 1000s --previous 100s
      the factor with which the delay before that attempt is exactly 100 s
  backoffctl tune --first 1s --factor 2 --succeeds-at 1030s
      the service works again after 1030 s: when the client notices that, and how long it
      has waited for nothing by then
  backoffctl tune --from-factor 2 --to-factor 1.1 --elapsed 1000s
      how many times more retries the smaller factor makes: real growth counts them; rough
      growth is log 2 / log 1.1, the limit after a very long time
  backoffctl tune --first 1s --factor 2 --elapsed 1023s --json
      the same for programs, with full precision

Keys of the JSON, where they apply; all times in seconds:
  first_s, factor, ratio, cap_s, first_capped_attempt
                           the parameters, and the first attempt whose delay is the cap
  elapsed_s, attempt, previous_s, next_s, at_retry
                           the elapsed time, the last attempt up to that time, the delays before
                           and after that attempt, and whether it is due at exactly that time;
                           with --succeeds-at: the first attempt that succeeds
  formula                  attempt, previous_s and next_s by the formulas above, in real
                           numbers, as if an attempt were made at exactly elapsed_s
  succeeds_at_s, wasted_s, before
                           the value of --succeeds-at, the time that the client waited for
                           nothing, and the last attempt that came too early
  from, to, growth, rough_growth
                           the two factors side by side, real and rough growth
  rows                     the rows of the table
)";

// What was given; what was not is empty, or has its default.
struct Values {
  double first_s = 1;
  double factor = 2;
  std::optional<double> ratio;
  std::optional<double> cap_s;
  std::optional<double> elapsed_s;
  std::optional<double> next_s;
  std::optional<double> previous_s;
  std::optional<double> succeeds_at_s;
  std::optional<double> from_factor;
  std::optional<double> to_factor;
};

double factor_of(const Values& values) {
  if (values.ratio)
    return backoff_actor::factor_for_ratio(*values.ratio);
  if (values.next_s)
    return backoff_actor::factor_for_next(
      {values.first_s, values.elapsed_s.value(), *values.next_s, values.cap_s});
  if (values.previous_s)
    return backoff_actor::factor_for_previous(
      {values.first_s, values.elapsed_s.value(), *values.previous_s, values.cap_s});
  return values.factor;
}

TuneAnswer compute(const Values& values) {
  if (values.from_factor) {
    const backoff_actor::FactorChange change{values.first_s, *values.from_factor,
                                             values.to_factor.value(), values.elapsed_s.value(),
                                             values.cap_s};
    return GrowthAnswer{change, backoff_actor::growth_of(change)};
  }
  const backoff_actor::DelaySeries series{values.first_s, factor_of(values), values.cap_s};
  check(series).raise_if_any();
  const TunedSeries tuned{series, values.ratio.value_or(series.factor - 1)};
  if (values.succeeds_at_s)
    return DiscoveryAnswer{tuned, *values.succeeds_at_s,
                           backoff_actor::discovery_of(series, *values.succeeds_at_s)};
  if (values.elapsed_s)
    return PositionAnswer{tuned, backoff_actor::position_at(series, *values.elapsed_s)};
  return BeginningAnswer{tuned};
}

// `first_s` of the library is `--first` here.
std::string flag_of(std::string field) {
  if (field.ends_with("_s"))
    field.erase(field.size() - 2);
  std::replace(field.begin(), field.end(), '_', '-');
  return "--" + field;
}

class TuneCommand final : public Command {
public:
  explicit TuneCommand(CLI::App& program)
    : Command(program, "tune", tune_description, tune_footer) {
    constexpr auto shortest_s = backoff_actor::tuning_shortest_delay_s;
    constexpr auto largest = backoff_actor::tuning_largest_factor;
    auto& x = values_;
    add_flag("--first", span_s(x.first_s, shortest_s), "SPAN",
             "a, the delay before the first retry, above 0 and up to\n2500000h; default 1s");
    add_flag("--factor", number(x.factor, 1, largest), "R",
             "r, the factor between one delay and the next, 1..1000;\ndefault 2");
    add_flag("--ratio", number(x.ratio, 0, largest - 1), "X",
             "delay / elapsed time in the long run, 0..999; sets the\nfactor to 1 + X");
    add_flag("--cap", span_s(x.cap_s, shortest_s), "SPAN",
             "the longest delay, at least --first; default no cap");
    add_flag("--elapsed", span_s(x.elapsed_s, 0), "SPAN",
             "T, the point in time to examine, 0s..2500000h");
    add_flag("--next", span_s(x.next_s, shortest_s), "SPAN",
             "the delay that you want after an attempt at --elapsed;\nsets the factor");
    add_flag("--previous", span_s(x.previous_s, shortest_s), "SPAN",
             "the delay that you want before an attempt at --elapsed;\nsets the factor");
    add_flag("--succeeds-at", span_s(x.succeeds_at_s, 0), "SPAN",
             "when the service works again, 0s..2500000h; replaces\n--elapsed");
    add_flag("--from-factor", number(x.from_factor, 1, largest), "R",
             "compare this factor with --to-factor over --elapsed,\n1..1000");
    add_flag("--to-factor", number(x.to_factor, 1, largest), "R",
             "the other factor of the comparison, 1..1000");
    add_switch("--json", as_json_, "print JSON with full precision instead of text");
  }

  std::string run() override {
    return as_json_ ? tune_json(answer_.value()) : tune_text(answer_.value());
  }

private:
  void check(Problems& problems) override {
    check_together(problems);
    if (!problems.empty())
      return;
    try {
      answer_ = compute(values_);
    } catch (const backoff_actor::InvalidArgument& error) {
      for (const auto& problem : error.problems().list()) {
        const auto flag = flag_of(problem.field);
        problems.add(flag, is_given(flag) ? quoted(given(flag)) : problem.given, problem.allowed);
      }
    }
  }

  // Complains of all but the first of the flags that are given.
  void at_most_one(const std::vector<std::string>& flags, Problems& problems) const {
    std::string names;
    std::string first;
    for (std::size_t i = 0; i < flags.size(); ++i)
      names += (i == 0 ? "" : i + 1 < flags.size() ? ", " : " and ") + flags[i];
    for (const auto& flag : flags)
      if (is_given(flag) && first.empty())
        first = flag;
      else if (is_given(flag))
        problems.add(flag, quoted(given(flag)) + " together with " + first, "one of " + names);
  }

  void check_together(Problems& problems) const {
    if (is_given("--from-factor") || is_given("--to-factor")) {
      const std::string both = "--from-factor and --to-factor together, with --elapsed";
      const std::string compared = is_given("--from-factor") ? "--from-factor" : "--to-factor";
      for (const auto* flag : {"--from-factor", "--to-factor", "--elapsed"})
        if (!is_given(flag))
          problems.add(flag, "nothing together with " + compared, both);
      for (const auto* flag : {"--factor", "--ratio", "--next", "--previous", "--succeeds-at"})
        if (is_given(flag))
          problems.add(flag, quoted(given(flag)) + " together with " + compared, both);
      return;
    }
    at_most_one({"--factor", "--ratio", "--next", "--previous"}, problems);
    at_most_one({"--succeeds-at", "--elapsed"}, problems);
    for (const auto* flag : {"--next", "--previous"})
      if (is_given(flag) && !is_given("--elapsed"))
        problems.add(flag, "needs --elapsed", "");
  }

  Values values_;
  bool as_json_ = false;
  std::optional<TuneAnswer> answer_;
};

} // namespace

void add_tune_command(CLI::App& program, Commands& commands) {
  add_command<TuneCommand>(program, commands);
}

} // namespace backoffctl
