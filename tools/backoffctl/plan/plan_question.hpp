#pragma once

#include "backoffctl/common/picture.hpp"

#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/supervision/charging.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What was given to `plan`, and not yet looked at.
struct PlanFlags {
  std::vector<std::string> policies{};
  std::vector<std::string> likes{};
  std::optional<std::string> attempts{};
  std::optional<std::string> max_retries{};
  std::optional<std::string> clients{};
  std::vector<std::string> chargings{};
  std::optional<std::string> max_attempts{};
  std::optional<std::string> outage{};
  std::optional<std::string> lambda{};
  std::optional<std::string> sample{};
  std::optional<std::string> seed{};
  std::optional<std::string> plot{};
  bool log = false;
};

/// Concrete sequences that are wanted: streams 0 and on of a seed.
struct SampleRequest {
  std::uint64_t count;
  std::uint64_t seed;
};

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
  std::optional<SampleRequest> sample{};
  std::optional<PlotRequest> plot{};
};

/// Reads the question that the flags ask; notes problems that name the flags if they ask none.
PlanQuestion read_question(const PlanFlags& flags, backoff_actor::Problems& problems);

} // namespace backoffctl
