#include "backoff_actor/backoff/limits.hpp"

#include "backoff_actor/core/internal/check_span.hpp"

namespace backoff_actor {

std::optional<std::uint32_t> Limits::max_attempts() const {
  if (!max_retries)
    return std::nullopt;
  return *max_retries + 1;
}

Problems check(const Limits& limits) {
  Problems problems;
  if (limits.max_retries && *limits.max_retries > detail::most_count)
    problems.add("max_retries", detail::text_of_count(*limits.max_retries),
                 "0.." + std::to_string(detail::most_count) + ", or unset for no limit");
  detail::check_time(problems, "max_elapsed", limits.max_elapsed);
  detail::check_time(problems, "attempt_timeout", limits.attempt_timeout);
  if (limits.server_hint < Duration::zero())
    problems.add("server_hint", to_string(limits.server_hint), "0 and above");
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
    return {.max_retries = 10};
  if (std::holds_alternative<Ethernet>(policy.formula()))
    return {.max_retries = 15};
  return {};
}

std::string to_string(const Limits& limits) {
  std::string result;
  if (limits.max_retries)
    result += "max_retries " + std::to_string(*limits.max_retries) + " (max_attempts "
              + std::to_string(*limits.max_attempts()) + "), ";
  const auto add = [&](const char* name, const std::optional<Duration>& span) {
    if (span)
      result += name + to_string(*span) + ", ";
  };
  add("max_elapsed ", limits.max_elapsed);
  add("attempt_timeout ", limits.attempt_timeout);
  add("reset_after ", limits.reset_after);
  return result + "server_hint " + to_string(limits.server_hint);
}

} // namespace backoff_actor
