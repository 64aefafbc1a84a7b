#include "tune_answer.hpp"

#include "backoffctl/common/flag_values.hpp"

#include <utility>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::DelaySeries;
using backoff_actor::Problems;

using Given = std::optional<std::string>;

struct NamedFlag {
  std::string name;
  const Given& given;
};

std::vector<NamedFlag> named(const TuneFlags& flags) {
  return {{"--first", flags.first},
          {"--factor", flags.factor},
          {"--ratio", flags.ratio},
          {"--cap", flags.cap},
          {"--elapsed", flags.elapsed},
          {"--next", flags.next},
          {"--previous", flags.previous},
          {"--succeeds-at", flags.succeeds_at},
          {"--from-factor", flags.from_factor},
          {"--to-factor", flags.to_factor}};
}

// -- each flag by itself -------------------------------------------------------

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

Values read(const TuneFlags& flags, Problems& problems) {
  const auto span = [&](const std::string& flag, const Given& given, double shortest_s) {
    return given ? read_span_s(flag, *given, shortest_s, problems) : std::nullopt;
  };
  const auto number = [&](const std::string& flag, const Given& given, double from, double to) {
    return given ? read_number(flag, *given, from, to, problems) : std::nullopt;
  };
  constexpr auto shortest_s = backoff_actor::tuning_shortest_delay_s;
  constexpr auto largest = backoff_actor::tuning_largest_factor;
  Values values;
  values.first_s = span("--first", flags.first, shortest_s).value_or(values.first_s);
  values.factor = number("--factor", flags.factor, 1, largest).value_or(values.factor);
  values.ratio = number("--ratio", flags.ratio, 0, largest - 1);
  values.cap_s = span("--cap", flags.cap, shortest_s);
  values.elapsed_s = span("--elapsed", flags.elapsed, 0);
  values.next_s = span("--next", flags.next, shortest_s);
  values.previous_s = span("--previous", flags.previous, shortest_s);
  values.succeeds_at_s = span("--succeeds-at", flags.succeeds_at, 0);
  values.from_factor = number("--from-factor", flags.from_factor, 1, largest);
  values.to_factor = number("--to-factor", flags.to_factor, 1, largest);
  return values;
}

// -- the flags together --------------------------------------------------------

// Complains of all but the first of the flags that are given.
void at_most_one(const std::vector<NamedFlag>& flags, Problems& problems) {
  const NamedFlag* first = nullptr;
  std::string names;
  for (std::size_t i = 0; i < flags.size(); ++i)
    names += (i == 0 ? "" : i + 1 < flags.size() ? ", " : " and ") + flags[i].name;
  for (const auto& flag : flags) {
    if (!flag.given)
      continue;
    if (first != nullptr)
      problems.add(flag.name, quoted(*flag.given) + " together with " + first->name,
                   "one of " + names);
    else
      first = &flag;
  }
}

void check_together(const TuneFlags& flags, Problems& problems) {
  if (flags.from_factor || flags.to_factor) {
    const std::string both = "--from-factor and --to-factor together, with --elapsed";
    const auto compared = flags.from_factor ? "--from-factor" : "--to-factor";
    if (!flags.from_factor)
      problems.add("--from-factor", "nothing together with --to-factor", both);
    if (!flags.to_factor)
      problems.add("--to-factor", "nothing together with --from-factor", both);
    if (!flags.elapsed)
      problems.add("--elapsed", std::string{"nothing together with "} + compared, both);
    for (const auto& flag : named(flags))
      if (flag.given
          && (flag.name == "--factor" || flag.name == "--ratio" || flag.name == "--next"
              || flag.name == "--previous" || flag.name == "--succeeds-at"))
        problems.add(flag.name, quoted(*flag.given) + " together with " + compared, both);
    return;
  }
  at_most_one({{"--factor", flags.factor},
               {"--ratio", flags.ratio},
               {"--next", flags.next},
               {"--previous", flags.previous}},
              problems);
  at_most_one({{"--succeeds-at", flags.succeeds_at}, {"--elapsed", flags.elapsed}}, problems);
  if (!flags.elapsed) {
    for (const auto& flag :
         {NamedFlag{"--next", flags.next}, NamedFlag{"--previous", flags.previous}})
      if (flag.given)
        problems.add(flag.name, "needs --elapsed", "");
  }
}

// -- the answers ---------------------------------------------------------------

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
  const DelaySeries series{values.first_s, factor_of(values), values.cap_s};
  check(series).raise_if_any();
  const TunedSeries tuned{series, values.ratio.value_or(series.factor - 1)};
  if (values.succeeds_at_s)
    return DiscoveryAnswer{tuned, *values.succeeds_at_s,
                           backoff_actor::discovery_of(series, *values.succeeds_at_s)};
  if (values.elapsed_s)
    return PositionAnswer{tuned, backoff_actor::position_at(series, *values.elapsed_s)};
  return BeginningAnswer{tuned};
}

// `first_s` of the library is `--first` here, and is quoted as it was given.
backoff_actor::Problem as_flag(backoff_actor::Problem problem, const TuneFlags& flags) {
  auto name = problem.field;
  if (name.ends_with("_s"))
    name.erase(name.size() - 2);
  for (auto& character : name)
    if (character == '_')
      character = '-';
  name = "--" + name;
  for (const auto& flag : named(flags))
    if (flag.name == name && flag.given)
      problem.given = quoted(*flag.given);
  problem.field = name;
  return problem;
}

} // namespace

std::optional<TuneAnswer> answer(const TuneFlags& flags, Problems& problems) {
  const auto values = read(flags, problems);
  check_together(flags, problems);
  if (!problems.empty())
    return std::nullopt;
  try {
    return compute(values);
  } catch (const backoff_actor::InvalidArgument& error) {
    for (const auto& problem : error.problems().list()) {
      auto renamed = as_flag(problem, flags);
      problems.add(std::move(renamed.field), std::move(renamed.given), std::move(renamed.allowed));
    }
    return std::nullopt;
  }
}

} // namespace backoffctl
