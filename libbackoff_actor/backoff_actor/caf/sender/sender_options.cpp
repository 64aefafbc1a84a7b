#include "backoff_actor/caf/sender/sender_options.hpp"

#include "backoff_actor/caf/sender/internal/option_checks.hpp"

namespace backoff_actor {

Problems check(const SenderOptions& options) {
  using namespace detail;
  Problems problems{options_of("SenderOptions", options.name)};
  check_kind(problems, "name", options.name);
  check_at_least_one(problems, "max_attempts", options.max_attempts);
  check_at_least_one(problems, "max_hand_overs", options.max_hand_overs);
  if (options.max_hand_overs && !options.outbox)
    problems.add("max_hand_overs", std::to_string(*options.max_hand_overs),
                 "nothing, unless outbox is set");
  check_not_negative(problems, "retry_after_ceiling", options.retry_after_ceiling);
  check_restarts(problems, options);
  check_of_use(problems, "is_service_failure", static_cast<bool>(options.is_service_failure),
               static_cast<bool>(options.guard), "guard is set");
  check_of_use(problems, "fallback", static_cast<bool>(options.fallback),
               options.restart_limit || options.max_elapsed, "restart_limit or max_elapsed is set");
  check_at_least_one(problems, "max_in_flight", options.max_in_flight);
  check_positive(problems, "ack_timeout", options.ack_timeout);
  if (options.after_grace == AfterGrace::wait && !options.ack_timeout)
    problems.add("after_grace", "wait", "abandon, unless ack_timeout is set");
  check_capacity(problems, "capacity", options.capacity);
  check_at_least_one(problems, "capacity_bytes", options.capacity_bytes);
  check_of_use(problems, "weight_of", static_cast<bool>(options.weight_of),
               options.capacity_bytes.has_value(), "capacity_bytes is set");
  check_positive(problems, "time_to_live", options.time_to_live);
  check_of_use(problems, "key_of", static_cast<bool>(options.key_of),
               options.ordering == Ordering::per_key, "ordering is per_key");
  if (options.guard) {
    // First attempts earn retries. A sender that owes only retries earns none, so the budget needs
    // a floor.
    const auto budget = options.guard.options().retry_budget;
    if (budget && budget->per_second <= 0)
      problems.add("guard.retry_budget.per_second", "0/s", "more than 0/s");
  }
  if (!options.origin.empty()
      && !(options.outbox && options.acknowledgement == Acknowledgement::by_sent))
    problems.add("origin", std::string{"'"}.append(options.origin).append("'"),
                 "nothing, unless outbox is set and acknowledgement is by_sent");
  check_positive(problems, "idempotency_retention", options.idempotency_retention);
  return problems;
}

} // namespace backoff_actor
