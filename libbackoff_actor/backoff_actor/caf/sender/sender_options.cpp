#include "backoff_actor/caf/sender/sender_options.hpp"

#include "backoff_actor/caf/sender/decider_of.hpp"
#include "backoff_actor/caf/sender/internal/option_checks.hpp"
#include "backoff_actor/caf/sender/internal/sender_settings.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/retry/retry_options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

void check_charging(Problems& problems, const SenderOptions& options) {
  problems.add_nested("charging", check(options.charging));
  if (!options.max_attempts && !options.by_reason.has_max_attempts()
      && options.charging.rule == Charging::Rule::by_evidence && options.charging != Charging{})
    problems.add("charging", to_string(options.charging),
                 "the default, unless max_attempts is set: each failure counts then");
}

// Other processes may bring all workers of a pool.
void check_offered(Problems& problems, const PoolOptions& pool, WorkerPool& own) {
  constexpr std::uint32_t most_of_a_pool = 1000;
  constexpr std::uint32_t most_of_a_worker = 1024;
  std::uint64_t others = 0;
  for (const auto& kind : own.kinds)
    others += kind.workers.most;
  const auto left =
    others < most_of_a_pool ? static_cast<std::uint32_t>(most_of_a_pool - others) : 0U;
  detail::check_count(problems, "pool.offered.most", pool.offered.most, 0, left);
  detail::check_count(problems, "pool.offered.max_in_flight", pool.offered.max_in_flight, 1,
                      most_of_a_worker);
  if (pool.workers == WorkerCount{0, 0})
    own.kinds.front().workers = {0, 1};
}

void check_pool(Problems& problems, const SenderOptions& options) {
  const auto& pool = options.pool;
  auto own = detail::pool_of(pool);
  if (pool.offered.most > 0)
    check_offered(problems, pool, own);
  problems.add_nested("pool", check(own));
  for (std::size_t i = 0; i < pool.others.size(); ++i)
    if (!pool.others[i].make_child)
      problems.add("pool.others[" + std::to_string(i) + "].make_child", "an empty function",
                   "a function that returns a fresh actor");
  if (pool.offered.most == 0 && pool.offered.max_in_flight != 1)
    problems.add("pool.offered.max_in_flight", std::to_string(pool.offered.max_in_flight),
                 "1, unless pool.offered.most is set");
  if (!pool.is_pool()) {
    if (pool.max_in_flight != 1)
      problems.add("pool.max_in_flight", std::to_string(pool.max_in_flight),
                   "1, unless pool.workers or pool.others is set");
    if (pool.scaling != PoolScaling{})
      problems.add("pool.scaling", "other times or another backlog",
                   "the defaults, unless pool.workers or pool.others is set");
    return;
  }
  if (options.ordering == Ordering::strict)
    problems.add("ordering", "strict",
                 "per_key or unordered with a pool: several workers finish in any order");
  if (options.rare.fallback)
    problems.add("rare.fallback", "a function",
                 "nothing with a pool: as long as one worker acknowledges, the pool goes on");
  if (options.max_in_flight)
    problems.add("max_in_flight", std::to_string(*options.max_in_flight),
                 "nothing with a pool: pool.max_in_flight says it for each worker");
}

} // namespace

Problems check(const SenderOptions& options) {
  using namespace detail;
  Problems problems{options_of("SenderOptions", options.name)};
  check_kind(problems, "name", options.name);
  check_count(problems, "max_attempts", options.max_attempts, 1);
  check_charging(problems, options);
  check_count(problems, "rare.max_hand_overs", options.rare.max_hand_overs, 1);
  if (options.rare.max_hand_overs && !options.outbox)
    problems.add("rare.max_hand_overs", text_of_count(*options.rare.max_hand_overs),
                 "nothing, unless outbox is set");
  problems.add_nested("retry_after", check(options.retry_after));
  if (options.restart_limit)
    problems.add_nested("restart_limit", check(*options.restart_limit));
  check_time(problems, "max_elapsed", options.max_elapsed);
  check_not_negative(problems, "kill_grace", options.kill_grace);
  check_of_use(problems, "rare.fallback", static_cast<bool>(options.rare.fallback),
               options.restart_limit || options.max_elapsed, "restart_limit or max_elapsed is set");
  if (options.max_elapsed && options.backoff_by == BackoffBy::message
      && options.ordering != Ordering::strict)
    problems.add("max_elapsed", to_string(*options.max_elapsed),
                 "nothing, unless backoff_by is worker_and_message or ordering is strict");
  check_count(problems, "max_in_flight", options.max_in_flight, 1);
  check_pool(problems, options);
  check_time(problems, "ack_timeout", options.ack_timeout);
  if (options.rare.after_grace == AfterGrace::wait && !options.ack_timeout)
    problems.add("rare.after_grace", "wait", "abandon, unless ack_timeout is set");
  check_count(problems, "capacity", options.capacity, 1, DeliverySlots::max_size);
  check_count(problems, "rare.capacity_bytes", options.rare.capacity_bytes, 1, most_bytes);
  check_of_use(problems, "rare.weight_of", static_cast<bool>(options.rare.weight_of),
               options.rare.capacity_bytes.has_value(), "rare.capacity_bytes is set");
  check_time(problems, "time_to_live", options.time_to_live);
  check_of_use(problems, "rare.key_of", static_cast<bool>(options.rare.key_of),
               options.ordering == Ordering::per_key, "ordering is per_key");
  if (options.guard) {
    // First attempts earn retries. A sender that owes only retries earns none, so the budget needs
    // a floor.
    const auto budget = options.guard.options().retry_budget;
    if (budget && budget->per_second <= 0)
      problems.add("guard.retry_budget.per_second", "0/s", "more than 0/s");
    else
      check_costs(problems, options.by_reason, options.guard);
  }
  if (!options.rare.origin.empty()
      && !(options.outbox && options.acknowledgement == Acknowledgement::by_sent))
    problems.add("rare.origin", std::string{"'"}.append(options.rare.origin).append("'"),
                 "nothing, unless outbox is set and acknowledgement is by_sent");
  check_time(problems, "rare.idempotency_retention", options.rare.idempotency_retention);
  constexpr std::uint32_t most_of_answer = 16'384;
  if (options.rare.largest_kept_answer > most_of_answer)
    problems.add("rare.largest_kept_answer", std::to_string(options.rare.largest_kept_answer),
                 "0.." + std::to_string(most_of_answer));
  return problems;
}

Decider decider_of(std::vector<DecisionFor> table) {
  return [table = std::move(table)](FailureKind kind, const caf::error& error) {
    for (const auto& row : table)
      if (row.is_for(kind, error))
        return row.decision();
    return default_decider(kind, error);
  };
}

} // namespace backoff_actor
