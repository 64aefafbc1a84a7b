#include "backoff_actor/backoff/parse_policy.hpp"

#include "backoff_actor/backoff/internal/text_parser.hpp"

#include <variant>

// formula := name [ '(' [ argument { ',' argument } ] ')' ]
// policy  := formula [ '|' formula ]

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

Argument ceiling(int& target) { return {"ceiling", "ceiling", Argument::Form::whole, &target}; }

} // namespace

Policy PolicyParser::policy(Extent extent) {
  const auto formula_column = next_column();
  const auto formula = this->formula();
  const auto formula_columns = take_columns();
  auto jitter = no_jitter;
  auto jitter_column = formula_column;
  const auto has_jitter = accept("|");
  if (has_jitter) {
    jitter_column = next_column();
    jitter = this->jitter();
  }
  const auto jitter_columns = take_columns();
  if (extent == Extent::whole_text && !is_at_end())
    fail(has_jitter ? "the end" : "'|' and a jitter, or the end");
  raise_if_any(std::visit([](const auto& x) { return check(x); }, formula), formula_column,
               formula_columns);
  raise_if_any(check(formula, jitter), jitter_column, jitter_columns);
  return {formula, jitter};
}

Policy::Formula PolicyParser::formula() {
  constexpr auto names = "a policy: decorrelated, ethernet, exponential, fixed, linear, "
                         "memorystore, random_slots or seed002";
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
    arguments({first("first", x.first), factor(x.factor), span("cap", "cap", x.cap)});
    return x;
  }
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

Jitter PolicyParser::jitter() {
  constexpr auto names = "a jitter: additive_jitter, equal_jitter, full_jitter, gaussian_jitter, "
                         "no_jitter or proportional_jitter";
  const auto name = this->name(names);
  if (name == "no_jitter" || name == "full_jitter" || name == "equal_jitter") {
    arguments({});
    return name == "no_jitter" ? no_jitter : name == "full_jitter" ? full_jitter : equal_jitter;
  }
  if (name == "additive_jitter") {
    Duration longest{};
    arguments({first(name, longest)});
    return additive_jitter(longest);
  }
  if (name == "proportional_jitter" || name == "gaussian_jitter") {
    double part = 0;
    arguments({{name, "", Form::percent, &part, true}});
    return name == "gaussian_jitter" ? gaussian_jitter(part) : proportional_jitter(part);
  }
  fail_at_name(names);
}

} // namespace detail

Policy parse_policy(std::string_view text) {
  return detail::PolicyParser{text}.policy(detail::PolicyParser::Extent::whole_text);
}

} // namespace backoff_actor
