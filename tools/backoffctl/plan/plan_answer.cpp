#include "plan.hpp"

#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/backoff/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace backoffctl {

namespace {

using backoff_actor::PlanRow;
using backoff_actor::Policy;

constexpr auto most_bearable = 2.0; // times the calls of normal times

// The limits of a policy: those of the system that it is like, or those of its source.
backoff_actor::Limits limits_of(const Policy& policy, const backoff_actor::Like* like,
                                const PlanQuestion& question) {
  auto result = like ? like->limits : backoff_actor::limits_of(policy);
  if (question.max_retries)
    result.max_attempts = *question.max_retries + 1;
  return result;
}

GiveUp give_up_after(std::uint32_t max_retries, const std::vector<PlanRow>& rows) {
  const auto last = max_retries == 0 ? PlanRow{} : rows[max_retries - 1];
  return {max_retries, last.cumulative_min_s, last.cumulative_mean_s, last.cumulative_max_s};
}

MessageLimit limit_of(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                      const backoff_actor::CallRate& calls) {
  using backoff_actor::Charging;
  const auto failures = *question.max_attempts;
  const auto last = give_up_after(failures - 1, rows);
  MessageLimit result{failures, question.charging, last.min_s, last.mean_s, last.max_s, {}};
  const auto& bound = question.charging.give_up_after;
  if (question.charging.rule == Charging::Rule::every_failure)
    result.dead_in_an_hour = std::floor(calls.first_hour / failures);
  else if (!bound || *bound > std::chrono::hours{1})
    result.dead_in_an_hour = 0;
  return result;
}

// Without chance, clients that have failed together call in the same second.
PlannedOutage outage_of(const PlannedPolicy& planned, const PlanQuestion& question) {
  PlannedOutage result{after_outage(planned.policy, question.outage), false, 0};
  const auto outage_s = seconds_of(question.outage);
  result.gives_up_before = planned.give_up && planned.give_up->mean_s < outage_s;
  const auto are_in_step = question.clients.value_or(1) > 1 && !planned.policy.is_random();
  const auto calls_per_s = std::max(result.after.calls_per_s, are_in_step ? 1.0 : 0.0);
  result.times_the_calls = calls_per_s * seconds_of(question.mean_think);
  return result;
}

PlannedPolicy planned(const Policy& policy, const backoff_actor::Like* like,
                      const PlanQuestion& question) {
  const auto most = limits_of(policy, like, question).max_attempts;
  auto rows = plan(
    policy, std::max({question.attempts, most ? *most - 1 : 0, question.max_attempts.value_or(0)}));
  PlannedPolicy result{policy, {}, {}, {}, {}, {}, calls_per_hour(policy)};
  if (like)
    result.known = like->known;
  if (most)
    result.give_up = give_up_after(*most - 1, rows);
  if (question.max_attempts)
    result.limit = limit_of(question, rows, result.calls);
  if (question.policies.size() > 1 || like)
    result.outage = outage_of(result, question);
  rows.resize(question.attempts);
  result.rows = std::move(rows);
  return result;
}

std::optional<backoff_actor::RecoveryAdvice> advice_of(const std::vector<PlannedPolicy>& policies) {
  std::vector<backoff_actor::RecoveryFigures> ways;
  for (const auto& planned : policies) {
    const auto& x = *planned.outage;
    auto& way = ways.emplace_back();
    if (!x.gives_up_before)
      way.recover_s = x.after.next_call_mean_s;
    way.times_the_calls = x.times_the_calls;
  }
  return backoff_actor::recovery_advice(ways, most_bearable);
}

} // namespace

PlanAnswer answer(const PlanQuestion& question) {
  PlanAnswer result;
  const auto own = question.policies.size() - question.likes.size();
  for (std::size_t i = 0; i < question.policies.size(); ++i)
    result.policies.push_back(
      planned(question.policies[i], i < own ? nullptr : &question.likes[i - own], question));
  result.clients = question.clients;
  result.outage = question.outage;
  result.mean_think = question.mean_think;
  if (result.policies.size() > 1)
    result.advice = advice_of(result.policies);
  return result;
}

} // namespace backoffctl
