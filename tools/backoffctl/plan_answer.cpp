#include "plan_answer.hpp"

#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <chrono>

namespace backoffctl {

namespace {

using backoff_actor::PlanRow;
using backoff_actor::Policy;

std::optional<std::uint32_t> max_retries_of(const Policy& policy, const PlanQuestion& question) {
  return question.max_retries ? question.max_retries : limits_of(policy).max_retries;
}

GiveUp give_up_after(std::uint32_t max_retries, const std::vector<PlanRow>& rows) {
  const auto last = max_retries == 0 ? PlanRow{} : rows[max_retries - 1];
  return {max_retries, last.cumulative_min_s, last.cumulative_mean_s, last.cumulative_max_s};
}

std::vector<double> drawn(const Policy& policy, std::uint32_t attempts,
                          const backoff_actor::Draws& draws) {
  std::vector<double> result;
  auto progress = policy.start();
  while (result.size() < attempts) {
    const auto step = policy.next(progress, draws(progress.draws));
    result.push_back(std::chrono::duration<double>{step.delay}.count());
    progress = step.progress;
  }
  return result;
}

PlannedPolicy planned(const Policy& policy, const PlanQuestion& question) {
  const auto max_retries = max_retries_of(policy, question);
  auto rows = plan(policy, std::max(question.attempts, max_retries.value_or(0)));
  PlannedPolicy result{policy, {}, {}, calls_per_hour(policy), {}};
  if (max_retries)
    result.give_up = give_up_after(*max_retries, rows);
  rows.resize(question.attempts);
  result.rows = std::move(rows);
  if (question.sample)
    for (std::uint64_t stream = 0; stream < question.sample->count; ++stream)
      result.samples.push_back(
        drawn(policy, question.attempts, backoff_actor::Draws{question.sample->seed, stream}));
  return result;
}

} // namespace

PlanAnswer answer(const PlanQuestion& question) {
  PlanAnswer result;
  for (const auto& policy : question.policies)
    result.policies.push_back(planned(policy, question));
  result.clients = question.clients;
  if (question.sample)
    result.seed = question.sample->seed;
  return result;
}

} // namespace backoffctl
