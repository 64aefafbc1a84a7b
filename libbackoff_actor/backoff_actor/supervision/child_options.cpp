#include "backoff_actor/supervision/child_options.hpp"

#include "backoff_actor/core/internal/check_span.hpp"

namespace backoff_actor {

Problems check(const ChildOptions& options) {
  Problems problems;
  if (options.shutdown.limit() && *options.shutdown.limit() < std::chrono::microseconds{1})
    problems.add("shutdown", "within " + to_string(*options.shutdown.limit()),
                 "1us or more; Shutdown::at_once() kills without asking");
  detail::check_time(problems, "healthy_after", options.healthy_after);
  if (options.restart_limit)
    problems.add_nested("restart_limit", check(*options.restart_limit));
  if (options.when_given_up == GivenUp::escalate && !options.restart_limit)
    problems.add("when_given_up", "escalate", "only with a restart_limit of its own");
  if (options.is_significant && options.restart == RestartType::permanent)
    problems.add("is_significant", "true", "only where restart is transient or temporary");
  detail::check_time(problems, "start_timeout", options.start_timeout);
  if (options.start_timeout && options.readiness == Readiness::when_made)
    problems.add("start_timeout", to_string(*options.start_timeout),
                 "only with Readiness::when_it_is_up");
  return problems;
}

} // namespace backoff_actor
