#include "backoff_actor/backoff/jitter.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/backoff/policies/progress.hpp"

#include <cmath>

namespace backoff_actor {

namespace {

constexpr double cut_off = 3; // standard deviations

std::string name_of(Jitter::Kind kind) {
  switch (kind) {
  case Jitter::Kind::none:
    break;
  case Jitter::Kind::full:
    return "full_jitter";
  case Jitter::Kind::equal:
    return "equal_jitter";
  case Jitter::Kind::proportional:
    return "proportional_jitter";
  case Jitter::Kind::additive:
  case Jitter::Kind::share:
  case Jitter::Kind::per_retry:
    return "additive_jitter";
  case Jitter::Kind::gaussian:
    return "gaussian_jitter";
  }
  return "no_jitter";
}

std::string name_of(CapOrder order) {
  switch (order) {
  case CapOrder::within:
    break;
  case CapOrder::cap_first:
    return "cap_first";
  case CapOrder::cap_last:
    return "cap_last";
  }
  return "within";
}

} // namespace

Problems check(const Jitter& jitter, Duration cap) {
  Problems problems;
  const auto check_part = [&](const char* name) {
    if (!(jitter.amount > 0 && jitter.amount <= 1))
      problems.add(name, detail::percent(jitter.amount), "more than 0%, up to 100%");
  };
  const auto check_span = [&](Duration most, const char* most_name) {
    if (!(jitter.amount >= 0 && jitter.amount <= static_cast<double>(most.count()))
        || jitter.amount != std::floor(jitter.amount))
      problems.add("additive_jitter", detail::span_of(jitter.amount),
                   "0ns.." + to_string(most) + most_name + ", in whole nanoseconds");
  };
  switch (jitter.kind) {
  case Jitter::Kind::none:
    if (jitter != no_jitter)
      problems.add("no_jitter", to_string(jitter), "no amount, which is 0, and nothing else");
    break;
  case Jitter::Kind::full:
  case Jitter::Kind::equal:
    if (jitter.amount != 0)
      problems.add(name_of(jitter.kind), detail::decimal(jitter.amount), "no amount, which is 0");
    break;
  case Jitter::Kind::proportional:
    check_part("proportional_jitter");
    break;
  case Jitter::Kind::share:
    check_part("additive_jitter");
    break;
  case Jitter::Kind::additive:
    if (jitter.order == CapOrder::within)
      check_span(cap, ", the cap");
    else
      check_span(max_delay, "");
    break;
  case Jitter::Kind::per_retry:
    check_span(max_delay, "");
    if (jitter.order != CapOrder::cap_last)
      problems.add("per_retry", name_of(jitter.order), "cap_last, since it grows beyond any cap");
    break;
  case Jitter::Kind::gaussian:
    if (!(jitter.amount > 0 && jitter.amount <= 1.0 / cut_off))
      problems.add("gaussian_jitter", detail::percent(jitter.amount),
                   "more than 0%, up to a third, beyond which a delay could be negative");
    break;
  }
  return problems;
}

std::string to_string(const Jitter& jitter) {
  std::string arguments;
  const auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  switch (jitter.kind) {
  case Jitter::Kind::none:
  case Jitter::Kind::full:
  case Jitter::Kind::equal:
    break;
  case Jitter::Kind::proportional:
  case Jitter::Kind::share:
  case Jitter::Kind::gaussian:
    add(detail::percent(jitter.amount));
    break;
  case Jitter::Kind::additive:
  case Jitter::Kind::per_retry:
    add(detail::span_of(jitter.amount));
    break;
  }
  if (jitter.kind == Jitter::Kind::per_retry)
    add("per_retry");
  if (jitter.is_carried)
    add("carried");
  if (jitter.order != CapOrder::within)
    add(name_of(jitter.order));
  return name_of(jitter.kind) + (arguments.empty() ? "" : "(" + arguments + ")");
}

namespace detail {

double room_below(const Jitter& jitter, double cap) {
  switch (jitter.kind) {
  case Jitter::Kind::proportional:
  case Jitter::Kind::share:
    return cap / (1 + jitter.amount);
  case Jitter::Kind::additive:
    return cap - jitter.amount;
  case Jitter::Kind::gaussian:
    return cap / (1 + cut_off * jitter.amount);
  default:
    return cap;
  }
}

double longest_of(const Jitter& jitter, double v) {
  switch (jitter.kind) {
  case Jitter::Kind::proportional:
  case Jitter::Kind::share:
    return v * (1 + jitter.amount);
  case Jitter::Kind::additive:
    return v + jitter.amount;
  case Jitter::Kind::gaussian:
    return v * (1 + cut_off * jitter.amount);
  default:
    return v;
  }
}

double least_part(const Jitter& jitter) {
  switch (jitter.kind) {
  case Jitter::Kind::full:
    return 0;
  case Jitter::Kind::equal:
    return 0.5;
  case Jitter::Kind::proportional:
    return 1 - jitter.amount;
  case Jitter::Kind::gaussian:
    return 1 - cut_off * jitter.amount;
  default:
    return 1;
  }
}

JitterTerms terms_of(const Jitter& jitter) {
  switch (jitter.kind) {
  case Jitter::Kind::full:
    return {.base = 0, .width = 1};
  case Jitter::Kind::equal:
    return {.base = 0.5, .width = 0.5};
  case Jitter::Kind::proportional:
    return {.base = 1 - jitter.amount, .width = 2 * jitter.amount};
  case Jitter::Kind::additive:
  case Jitter::Kind::per_retry:
    return {.extra = jitter.amount};
  case Jitter::Kind::gaussian:
  case Jitter::Kind::share:
    return {.width = jitter.amount};
  case Jitter::Kind::none:
    break;
  }
  return {};
}

} // namespace detail

} // namespace backoff_actor
