#include "backoff_actor/backoff/jitter.hpp"

#include "backoff_actor/backoff/internal/text.hpp"

#include <cmath>

namespace backoff_actor {

namespace {

constexpr double cut_off = 3; // standard deviations

} // namespace

Problems check(const Jitter& jitter, Duration cap) {
  Problems problems;
  switch (jitter.kind) {
  case Jitter::Kind::none:
  case Jitter::Kind::full:
  case Jitter::Kind::equal:
    if (jitter.amount != 0)
      problems.add(to_string(jitter), detail::decimal(jitter.amount), "no amount, which is 0");
    break;
  case Jitter::Kind::proportional:
    if (!(jitter.amount > 0 && jitter.amount <= 1))
      problems.add("proportional_jitter", detail::percent(jitter.amount),
                   "more than 0%, up to 100%");
    break;
  case Jitter::Kind::additive:
    if (!(jitter.amount >= 0 && jitter.amount <= static_cast<double>(cap.count()))
        || jitter.amount != std::floor(jitter.amount))
      problems.add("additive_jitter", detail::span_of(jitter.amount),
                   "0ns.." + to_string(cap) + ", the cap, in whole nanoseconds");
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
  switch (jitter.kind) {
  case Jitter::Kind::none:
    break;
  case Jitter::Kind::full:
    return "full_jitter";
  case Jitter::Kind::equal:
    return "equal_jitter";
  case Jitter::Kind::proportional:
    return "proportional_jitter(" + detail::percent(jitter.amount) + ")";
  case Jitter::Kind::additive:
    return "additive_jitter(" + detail::span_of(jitter.amount) + ")";
  case Jitter::Kind::gaussian:
    return "gaussian_jitter(" + detail::percent(jitter.amount) + ")";
  }
  return "no_jitter";
}

namespace detail {

double room_below(const Jitter& jitter, double cap) {
  switch (jitter.kind) {
  case Jitter::Kind::proportional:
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
    return v * (1 + jitter.amount);
  case Jitter::Kind::additive:
    return v + jitter.amount;
  case Jitter::Kind::gaussian:
    return v * (1 + cut_off * jitter.amount);
  default:
    return v;
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
    return {.extra = jitter.amount};
  case Jitter::Kind::gaussian:
    return {.width = jitter.amount, .is_normal = true};
  case Jitter::Kind::none:
    break;
  }
  return {};
}

} // namespace detail

} // namespace backoff_actor
