#include "backoff_actor/backoff/limits.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

namespace backoff_actor {

namespace {

std::string text_without_place(const RetryAfterReading& reading) {
  const auto bound = to_string(reading.bound);
  switch (reading.rule) {
  case RetryAfterReading::Rule::give_up:
    break;
  case RetryAfterReading::Rule::cut:
    return reading.bound == Duration::max() ? "without bound" : "cut to " + bound;
  case RetryAfterReading::Rule::cut_to_backoff_plus:
    return reading.bound == Duration::max() ? "without bound" : "cut to the backoff plus " + bound;
  case RetryAfterReading::Rule::ignore:
    return "ignored";
  }
  return reading.bound == Duration::max() ? "without bound" : "up to " + bound;
}

} // namespace

std::string RetryAfterReading::text() const {
  const auto result = text_without_place(*this);
  return replaces() ? result + ", in place of the backoff" : result;
}

Problems check(const RetryAfterReading& reading) {
  Problems problems;
  if (reading.bound < Duration::zero())
    problems.add("bound", to_string(reading.bound), "0 or more");
  return problems;
}

Problems check(const Limits& limits) {
  Problems problems;
  detail::check_count(problems, "max_attempts", limits.max_attempts, 1);
  detail::check_time(problems, "max_elapsed", limits.max_elapsed);
  detail::check_time(problems, "attempt_timeout", limits.attempt_timeout);
  problems.add_nested("retry_after", check(limits.retry_after));
  detail::check_time(problems, "reset_after", limits.reset_after);
  if (limits.reset_after && limits.attempt_timeout && *limits.reset_after > Duration::zero()
      && *limits.attempt_timeout > Duration::zero()
      && *limits.reset_after >= *limits.attempt_timeout)
    problems.add("reset_after", to_string(*limits.reset_after),
                 "less than attempt_timeout, " + to_string(*limits.attempt_timeout)
                   + ", which ends every attempt");
  return problems;
}

Limits limits_of(const Policy& policy) {
  if (std::holds_alternative<Memorystore>(policy.formula()))
    return {.max_attempts = 11};
  if (std::holds_alternative<Ethernet>(policy.formula()))
    return {.max_attempts = 16};
  return {};
}

std::string to_string(const Limits& limits) {
  std::string result;
  if (limits.max_attempts)
    result += "max_attempts " + std::to_string(*limits.max_attempts) + ", ";
  const auto add = [&](const char* name, const std::optional<Duration>& span) {
    if (span)
      result += name + to_string(*span) + ", ";
  };
  add("max_elapsed ", limits.max_elapsed);
  add("attempt_timeout ", limits.attempt_timeout);
  add("reset_after ", limits.reset_after);
  return result + "retry_after " + to_string(limits.retry_after);
}

} // namespace backoff_actor
