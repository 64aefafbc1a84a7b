#pragma once

#include "plan_question.hpp"

#include "backoff_actor/lab/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace backoffctl {

/// When a policy with a limit gives up: the time from the first failure to the last retry's.
///
/// @units seconds
struct GiveUp {
  std::uint32_t max_retries;
  double min_s;
  double mean_s;
  double max_s;
};

/// All about one policy.
struct PlannedPolicy {
  backoff_actor::Policy policy;
  std::vector<backoff_actor::PlanRow> rows; // one at least
  std::optional<GiveUp> give_up;            // unset: never
  backoff_actor::CallRate calls;
  std::vector<std::vector<double>> samples; // delays, s
};

struct PlanAnswer {
  std::vector<PlannedPolicy> policies;
  std::optional<std::uint32_t> clients;
  std::optional<std::uint64_t> seed; // of the samples
};

/// Answers a question that was read without problems.
PlanAnswer answer(const PlanQuestion& question);

} // namespace backoffctl
