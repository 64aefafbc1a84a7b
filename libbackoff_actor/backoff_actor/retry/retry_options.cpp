#include "backoff_actor/retry/retry_options.hpp"

#include "backoff_actor/guard/internal/retry_budget.hpp"
#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/retry/retry_result.hpp"

namespace backoff_actor {

std::string to_string(const RetryNotice& notice) {
  auto result = "attempt " + std::to_string(notice.attempt.number);
  result += notice.error ? " failed: " + detail::text_of(notice.error) : " was refused";
  return result + "; next in " + detail::rounded(notice.delay);
}

namespace detail {

BackOff backoff_of(const Policy& policy, const RetryOptions& options) {
  if (options.seed)
    return BackOff{policy, *options.seed, options.stream.value_or(0)};
  return BackOff{policy, seed_of_this_process(),
                 options.stream ? *options.stream : next_stream_of_this_process()};
}

void raise_if_too_dear(const RetryOptions& options) {
  Problems problems{"RetryOptions"};
  check_costs(problems, options.by_reason, options.guard);
  problems.raise_if_any();
}

void check_costs(Problems& problems, const ByReason& by_reason, const SharedGuard& guard) {
  if (by_reason.empty() || !guard)
    return;
  if (const auto budget = guard.options().retry_budget)
    check_costs(problems, by_reason, reserve(*budget));
}

} // namespace detail

} // namespace backoff_actor
