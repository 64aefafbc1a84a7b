#pragma once

#include "plan_question.hpp"

#include "backoff_actor/lab/plan.hpp"
#include "backoff_actor/lab/recovery_advice.hpp"

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

/// Where order is not strict, the only worker of a sender waits, and then the message by itself,
/// unless `SenderOptions::backoff_by` says otherwise: that many delays for each failure.
inline constexpr int both_wait = 2;

/// What a limit of attempts means for a sender's messages, if each failure makes them wait once.
///
/// @units seconds
struct MessageLimit {
  std::uint32_t max_attempts;
  backoff_actor::Charging charging;
  double min_s; // from the first failure of a message at fault to its last one
  double mean_s;
  double max_s;
  std::optional<double> dead_in_an_hour; // of an outage, for each worker; unset: not known
};

/// What a policy does when an outage ends.
struct PlannedOutage {
  backoff_actor::AfterOutage after;
  bool gives_up_before;   // the rest is as if it did not
  double times_the_calls; // of normal times, at the peak
};

/// All about one policy.
struct PlannedPolicy {
  backoff_actor::Policy policy;
  std::optional<backoff_actor::KnownPolicy> known; // whose policy it is; unset: nobody's
  std::vector<backoff_actor::PlanRow> rows;        // one at least
  std::optional<GiveUp> give_up;                   // unset: never
  std::optional<MessageLimit> limit;               // unset: not asked
  std::optional<PlannedOutage> outage; // unset: there is only one policy, and it is nobody's
  backoff_actor::CallRate calls;
  std::vector<std::vector<double>> samples; // delays, s
};

struct PlanAnswer {
  std::vector<PlannedPolicy> policies;
  std::optional<std::uint32_t> clients;
  std::optional<std::uint64_t> seed; // of the samples
  backoff_actor::Duration outage;
  backoff_actor::Duration mean_think;
  std::optional<backoff_actor::RecoveryAdvice> advice; // only if there are several policies
};

/// Answers a question that was read without problems.
PlanAnswer answer(const PlanQuestion& question);

} // namespace backoffctl
