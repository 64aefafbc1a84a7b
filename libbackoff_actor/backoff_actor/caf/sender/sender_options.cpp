#include "backoff_actor/caf/sender/sender_options.hpp"

#include "backoff_actor/caf/messages/error_predicate.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/held_back.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"
#include "backoff_actor/delivery/outbox.hpp"
#include "backoff_actor/retry/default_draws.hpp"

#include <utility>

namespace backoff_actor {

namespace {

constexpr std::uint32_t max_in_flight_by_default = 1024;

// Whether a delivery that is retried while the child lives could be overtaken by those behind it.
bool may_be_refused_in_order(const SenderOptions& options) {
  return options.ordering == Ordering::strict
         && (options.acknowledgement == Acknowledgement::by_sent || options.decider);
}

template <class Number>
void check_at_least_one(Problems& problems, const char* field, const std::optional<Number>& given) {
  if (given && *given < 1)
    problems.add(field, std::to_string(*given), "1 or more");
}

void check_positive(Problems& problems, const char* field, const std::optional<Duration>& given) {
  if (given && *given <= Duration::zero())
    problems.add(field, to_string(*given), "more than 0ns");
}

void check_not_negative(Problems& problems, const char* field, Duration given) {
  if (given < Duration::zero())
    problems.add(field, to_string(given), "0ns or more");
}

void check_of_use(Problems& problems, const char* field, bool is_given, bool is_of_use,
                  const char* condition) {
  if (is_given && !is_of_use)
    problems.add(field, "a function", std::string{"nothing, unless "} + condition);
}

} // namespace

Problems check(const SenderOptions& options) {
  Problems problems;
  check_at_least_one(problems, "max_attempts", options.max_attempts);
  check_at_least_one(problems, "max_hand_overs", options.max_hand_overs);
  if (options.max_hand_overs && !options.outbox)
    problems.add("max_hand_overs", std::to_string(*options.max_hand_overs),
                 "nothing, unless outbox is set");
  check_not_negative(problems, "retry_after_ceiling", options.retry_after_ceiling);
  if (options.restart_limit)
    problems.add_nested("restart_limit", check(*options.restart_limit));
  check_positive(problems, "max_elapsed", options.max_elapsed);
  check_of_use(problems, "is_service_failure", static_cast<bool>(options.is_service_failure),
               static_cast<bool>(options.guard), "guard is set");
  check_of_use(problems, "fallback", static_cast<bool>(options.fallback),
               options.restart_limit || options.max_elapsed, "restart_limit or max_elapsed is set");
  check_at_least_one(problems, "max_in_flight", options.max_in_flight);
  check_positive(problems, "ack_timeout", options.ack_timeout);
  check_not_negative(problems, "kill_grace", options.kill_grace);
  if (options.after_grace == AfterGrace::wait && !options.ack_timeout)
    problems.add("after_grace", "wait", "abandon, unless ack_timeout is set");
  if (options.capacity < 1 || options.capacity > Outbox::max_size)
    problems.add("capacity", std::to_string(options.capacity),
                 "1.." + std::to_string(Outbox::max_size));
  check_at_least_one(problems, "capacity_bytes", options.capacity_bytes);
  check_of_use(problems, "weight_of", static_cast<bool>(options.weight_of),
               options.capacity_bytes.has_value(), "capacity_bytes is set");
  check_positive(problems, "time_to_live", options.time_to_live);
  check_of_use(problems, "key_of", static_cast<bool>(options.key_of),
               options.ordering == Ordering::per_key, "ordering is per_key");
  if (options.guard) {
    // First attempts earn retries, but a sender may owe nothing else than retries.
    const auto budget = options.guard.options().retry_budget;
    if (budget && budget->per_second <= 0)
      problems.add("guard.retry_budget.per_second", "0/s", "more than 0/s");
  }
  if (!options.origin.empty() && options.delivery == Guarantee::at_least_once
      && !(options.outbox && options.acknowledgement == Acknowledgement::by_sent))
    problems.add("origin", std::string{"'"}.append(options.origin).append("'"),
                 "nothing, unless outbox is set and acknowledgement is by_sent");
  check_positive(problems, "idempotency_retention", options.idempotency_retention);
  detail::check_guarantee(problems, options);
  return problems;
}

Decision default_decider(FailureKind kind, const caf::error& error) {
  if (kind == FailureKind::error_answer && detail::is_given_back(error))
    return {Verdict::retry, retry_after_of(error)};
  return default_decider(kind, retry_after_of(error));
}

Decision decide(const SenderOptions& options, FailureKind kind, const caf::error& error) {
  auto decision = default_decider(kind, error);
  if (options.decider) {
    try {
      const auto asked_for = decision.retry_after;
      decision = options.decider(kind, error);
      if (!decision.retry_after)
        decision.retry_after = asked_for;
    } catch (...) {
      // A decider that fails must not cost more than its opinion.
    }
  }
  decision.is_held_back = detail::is_given_back(error);
  return decision;
}

bool is_service_failure(const SenderOptions& options, const caf::error& error) {
  if (options.is_service_failure) {
    try {
      return options.is_service_failure(error);
    } catch (...) {
      // A predicate that fails must not cost more than its opinion.
    }
  }
  return assess_error(error).kind == Assessment::Kind::retryable;
}

// With the seed of the process, which all its actor systems share, no two streams may be alike.
std::uint64_t stream_of_draws(const SenderOptions& options, std::uint64_t number) {
  if (options.stream)
    return *options.stream;
  return options.seed ? number : next_stream_of_this_process();
}

EngineOptions engine_options(const SenderOptions& options) {
  EngineOptions result;
  result.backoff = BackOff{options.backoff, options.seed.value_or(seed_of_this_process())};
  result.child_start = options.child_start;
  result.restart = options.restart;
  result.works_on = options.works_on;
  result.ordering = options.ordering;
  result.max_in_flight =
    options.max_in_flight.value_or(may_be_refused_in_order(options) ? 1 : max_in_flight_by_default);
  result.narrows_when_refused = !options.max_in_flight;
  result.max_attempts = options.max_attempts;
  result.ack_timeout = options.ack_timeout;
  result.kill_grace = options.kill_grace;
  result.after_grace = options.after_grace;
  if (options.ack_timeout)
    result.on_hang =
      decide(options, FailureKind::ack_timeout, make_error(SenderError::ack_timeout)).verdict;
  result.capacity = options.capacity;
  result.capacity_bytes = options.capacity_bytes;
  result.overflow = options.overflow;
  result.retry_after_ceiling = options.retry_after_ceiling;
  result.restart_limit = options.restart_limit;
  result.max_elapsed = options.max_elapsed;
  if (options.guard)
    result.guard = options.guard.port();
  result.has_fallback = static_cast<bool>(options.fallback);
  result.persist = static_cast<bool>(options.outbox);
  result.max_hand_overs = options.max_hand_overs;
  detail::add_guarantee(result, options);
  result.on_event = options.on_event;
  return result;
}

} // namespace backoff_actor
