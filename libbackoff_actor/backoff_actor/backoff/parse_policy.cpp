#include "backoff_actor/backoff/parse_policy.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/backoff/internal/text_parser.hpp"
#include "backoff_actor/backoff/known/internal/find_known.hpp"
#include "backoff_actor/backoff/like.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

// formula := name [ '(' [ argument { ',' argument } ] ')' ]
// policy  := ( formula | 'like' words ) { '|' formula }

namespace backoff_actor {

namespace detail {

namespace {

Argument first(std::string_view field, Duration& target) {
  return {field, "", Argument::Form::span, &target, true};
}

Argument span(std::string_view field, std::string_view prefix, Duration& target) {
  return {field, prefix, Argument::Form::span, &target};
}

Argument factor(double& target) { return {"factor", "x", Argument::Form::factor, &target}; }

constexpr auto part_names =
  "a jitter or another part: additive_jitter, equal_jitter, first_wait, full_jitter, "
  "gaussian_jitter, no_jitter, proportional_jitter or whole_seconds";

// The fields of the problems of a table.
constexpr std::array<std::string_view, Steps::most> step_names{
  "step 1", "step 2", "step 3", "step 4", "step 5", "step 6", "step 7", "step 8"};

Argument ceiling(int& target) { return {"ceiling", "ceiling", Argument::Form::whole, &target}; }

} // namespace

Policy PolicyParser::policy(Extent extent) {
  const auto formula_column = next_column();
  const auto known = this->known();
  const auto formula = known ? known->formula() : this->formula();
  const auto formula_columns = take_columns();
  Parts parts;
  if (known)
    parts = {known->jitter(), known->first_wait(), known->seconds()};
  auto parts_column = formula_column;
  auto has_parts = false;
  while (accept("|")) {
    if (!std::exchange(has_parts, true))
      parts_column = next_column();
    part(parts);
  }
  if (extent == Extent::whole_text && !is_at_end())
    fail(has_parts ? "'|' and another part, or the end" : "'|' and a jitter, or the end");
  raise_if_any(std::visit([](const auto& x) { return check(x); }, formula), formula_column,
               formula_columns);
  raise_if_any(check(formula, parts.jitter, parts.first_wait, parts.seconds), parts_column,
               parts.columns);
  return {formula, parts.jitter, parts.first_wait, parts.seconds};
}

// Reads what follows `like`, if that is there.
std::optional<Policy> PolicyParser::known() {
  const auto begin = position();
  if (!accept("like"))
    return std::nullopt;
  const auto after = position();
  const auto name = words();
  if (!name.empty() && name.front() != ' ') { // such as `likely`
    go_to(begin);
    return std::nullopt;
  }
  go_to(after);
  const auto column = next_column();
  go_to(after + name.size());
  Problems problems;
  const auto* const policy = find_known(name, problems);
  raise_if_any(problems, column, {});
  return parse_policy(policy->policy);
}

Policy::Formula PolicyParser::formula() {
  constexpr auto names = "a policy: decorrelated, ethernet, exponential, fixed, like, linear, "
                         "memorystore, polynomial, random_slots, seed002 or steps";
  const auto name = this->name(names);
  if (name == "fixed") {
    Fixed x;
    arguments({first("delay", x.delay)});
    return x;
  }
  if (name == "linear") {
    Linear x;
    arguments({first("first", x.first), span("step", "+", x.step), span("cap", "cap", x.cap)});
    return x;
  }
  if (name == "exponential") {
    Exponential x;
    arguments({first("first", x.first),
               factor(x.factor),
               span("cap", "cap", x.cap),
               {"exponent", "exponent", Form::whole, &x.exponent}});
    return x;
  }
  if (name == "polynomial") {
    Polynomial x;
    arguments({first("first", x.first),
               span("step", "+", x.step),
               {"power", "^", Form::whole, &x.power},
               span("cap", "cap", x.cap)});
    return x;
  }
  if (name == "steps")
    return steps();
  if (name == "decorrelated") {
    Decorrelated x;
    arguments({first("first", x.first), factor(x.factor), span("cap", "cap", x.cap)});
    return x;
  }
  if (name == "random_slots") {
    RandomSlots x;
    arguments({span("slot_time", "", x.slot_time),
               ceiling(x.ceiling),
               {"stay", "stay", Form::flag, &x.stay_at_ceiling}});
    return x;
  }
  if (name == "ethernet") {
    Ethernet x;
    arguments({span("slot_time", "", x.slot_time), ceiling(x.ceiling)});
    return x;
  }
  if (name == "memorystore") {
    Memorystore x;
    arguments({span("max", "max", x.max)});
    return x;
  }
  if (name == "seed002") {
    Seed002 x;
    arguments({span("min", "", x.min),
               factor(x.factor),
               span("cap", "cap", x.cap),
               {"jitter", "jitter", Form::percent, &x.jitter}});
    return x;
  }
  fail_at_name(names);
}

Steps PolicyParser::steps() {
  constexpr auto not_given = Duration::min();
  std::array<Duration, Steps::most> given{};
  given.fill(not_given);
  std::vector<Argument> could_come;
  for (std::size_t i = 0; i < given.size(); ++i)
    could_come.push_back({step_names[i], "", Form::span, &given[i], i == 0});
  const auto column = next_column();
  arguments(std::move(could_come));
  const std::span<const Duration> steps(given.begin(),
                                        std::find(given.begin(), given.end(), not_given));
  raise_if_any(check_steps(steps), column, take_columns());
  return Steps{steps};
}

void PolicyParser::part(Parts& parts) {
  const auto column = next_column();
  const auto name = this->name(part_names);
  if (name == "first_wait") {
    fail_if_there(column, name, parts.first_wait == no_first_wait ? "" : "one");
    parts.first_wait.times = 1;
    arguments({first("first_wait", parts.first_wait.wait),
               {"times", "times", Form::whole, &parts.first_wait.times}});
  } else if (name == "whole_seconds") {
    arguments({});
    parts.seconds = Seconds::whole;
    parts.columns.emplace_back("whole_seconds", column);
  } else {
    fail_if_there(column, "jitter", parts.jitter == no_jitter ? "" : to_string(parts.jitter));
    parts.jitter = jitter(name);
    parts.columns.emplace_back("jitter", column);
  }
  const auto read = take_columns();
  parts.columns.insert(parts.columns.end(), read.begin(), read.end());
}

void PolicyParser::fail_if_there(std::size_t column, std::string_view field,
                                 const std::string& there) {
  Problems problems;
  if (!there.empty())
    problems.add(std::string{field}, "another one", "none, since there is " + there);
  raise_if_any(problems, column, {});
}

Jitter PolicyParser::jitter(std::string_view name) {
  auto result = no_jitter;
  auto is_per_retry = false;
  auto is_first = false;
  auto is_last = false;
  std::vector<Argument> could_come;
  if (name == "full_jitter") {
    result = full_jitter;
  } else if (name == "equal_jitter") {
    result = equal_jitter;
  } else if (name == "proportional_jitter" || name == "gaussian_jitter") {
    result = name == "gaussian_jitter" ? gaussian_jitter(0) : proportional_jitter(0);
    could_come.push_back({name, "", Form::percent, &result.amount, true});
  } else if (name == "additive_jitter") {
    could_come.push_back(
      {name, "", Form::other,
       Argument::Other{"a span such as 1s or a percentage such as 10%",
                       [this] { return is_at_digit(); }, [this, &result] { added(result); }},
       true});
    could_come.push_back({"per_retry", "per_retry", Form::flag, &is_per_retry});
  } else if (name != "no_jitter") {
    fail_at_name(part_names);
  }
  if (name != "no_jitter") {
    could_come.push_back({"carried", "carried", Form::flag, &result.is_carried});
    could_come.push_back({"cap_first", "cap_first", Form::flag, &is_first});
    could_come.push_back({"cap_last", "cap_last", Form::flag, &is_last});
  }
  const auto column = next_column();
  arguments(std::move(could_come));
  Problems problems;
  if (is_per_retry && result.kind == Jitter::Kind::share)
    problems.add("per_retry", percent(result.amount), "with a span, not with a percentage");
  if (is_first && is_last)
    problems.add("cap_last", "cap_first, too", "one of the two");
  if (!problems.empty())
    raise_if_any(problems, column, take_columns());
  if (is_per_retry)
    result.kind = Jitter::Kind::per_retry;
  if (is_first || is_last)
    result.order = is_first ? CapOrder::cap_first : CapOrder::cap_last;
  return result;
}

// Reads what an additive jitter adds at most: a span, or a part of the delay.
void PolicyParser::added(Jitter& result) {
  Duration span{};
  if (accept_number(result.amount, "e-2", "%")) {
    result.kind = Jitter::Kind::share;
  } else if (accept_span(span)) {
    result.kind = Jitter::Kind::additive;
    result.amount = in_nanoseconds(span);
  } else {
    fail_at_span("a span such as 1s or a percentage such as 10%");
  }
}

} // namespace detail

Policy parse_policy(std::string_view text) {
  return detail::PolicyParser{text}.policy(detail::PolicyParser::Extent::whole_text);
}

Like like(std::string_view name) {
  Problems problems;
  const auto* const known = detail::find_known(name, problems);
  problems.raise_if_any();
  Limits limits;
  if (known->most)
    limits.max_attempts = *known->most + (known->counted == Counted::retries ? 1 : 0);
  limits.max_elapsed = known->max_elapsed;
  return {*known, parse_policy(known->policy), limits};
}

std::string to_string(const Like& like) {
  return to_string(like.policy) + "; " + to_string(like.limits);
}

} // namespace backoff_actor
