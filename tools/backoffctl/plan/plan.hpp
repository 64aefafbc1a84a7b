#pragma once

#include "backoffctl/common/command.hpp"
#include "backoffctl/common/picture.hpp"
#include "pictures/line_ends.hpp"

#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/lab/internal/recovery_advice.hpp"
#include "backoff_actor/lab/plan.hpp"
#include "backoff_actor/supervision/charging.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What is asked of `plan`.
struct PlanQuestion {
  std::vector<backoff_actor::Policy> policies{};          // one at least
  std::vector<backoff_actor::Like> likes{};               // the last of the policies, if any
  std::uint32_t attempts = 10;                            // 1 and more
  std::optional<std::uint32_t> max_retries{};             // unset: what the policy demands
  std::optional<std::uint32_t> clients{};                 // that call the same service, 1 and more
  std::optional<std::uint32_t> max_attempts{};            // of a sender's message, 1 and more
  backoff_actor::Charging charging{};                     // with max_attempts
  backoff_actor::Duration outage = std::chrono::hours{1}; // that the advice is for
  backoff_actor::Duration mean_think = std::chrono::seconds{10}; // between calls in normal times
  std::optional<PlotRequest> plot{};
};

/// Reads the question of `plan` from its flags, and answers it.
class PlanCommand final : public Command {
public:
  explicit PlanCommand(CLI::App& program);

  const PlanQuestion& question() const { return question_; }
  std::string run() override;

private:
  void check(Problems& problems) override;

  std::vector<std::string> likes_;
  std::vector<backoff_actor::Charging> chargings_;
  PlotFlags plot_;
  bool as_json_ = false;
  PlanQuestion question_;
};

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
};

struct PlanAnswer {
  std::vector<PlannedPolicy> policies;
  std::optional<std::uint32_t> clients;
  backoff_actor::Duration outage;
  backoff_actor::Duration mean_think;
  std::optional<backoff_actor::RecoveryAdvice> advice; // only if there are several policies
};

/// Answers a question that was read without problems.
PlanAnswer answer(const PlanQuestion& question);

/// Renders an answer for people.
std::string plan_text(const PlanAnswer& answer);

/// Renders an answer for programs: one JSON object, all numbers with full precision.
std::string plan_json(const PlanAnswer& answer);

/// Returns the picture of an answer: the mean delays as lines, and from min to max an area for each
/// policy that depends on chance.
pictures::Picture plot_script(const PlanAnswer& answer, const PlotRequest& plot);

/// The vertical axis of a picture: from where to where, and how it is labelled.
struct DelayAxis {
  std::string title;
  double unit_s;         // the length of what is counted on it
  pictures::Scale scale; // in these units
  std::string ticks;     // gnuplot's setting of them
};

/// Returns the axis on which all delays of the policies can be seen; on a logarithmic one, all that
/// are above 0.
DelayAxis delay_axis(const std::vector<PlannedPolicy>& policies, bool is_logarithmic);

} // namespace backoffctl
