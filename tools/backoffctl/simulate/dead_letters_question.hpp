#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/lab/simulation/dead_letters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What was given to `simulate dead-letters`, and not yet looked at.
struct DeadLettersFlags {
  std::vector<std::string> policies{};
  std::vector<std::string> guards{};
  std::vector<std::string> retry_afters{};
  std::vector<std::string> workers{};
  std::vector<std::string> chargings{};
  std::optional<std::string> max_attempts{};
  std::optional<std::string> messages{};
  std::optional<std::string> poison{};
  std::optional<std::string> every{};
  std::optional<std::string> takes{};
  std::optional<std::string> down_for{};
  std::optional<std::string> watch{};
  std::optional<std::string> seed{};
};

/// What is asked of `simulate dead-letters`: setups, each of which differs from the others in
/// policy, guard and `retry_after`, and runs with each number of workers and each charging.
struct DeadLettersQuestion {
  std::vector<backoff_actor::DeadLettersOptions> setups{}; // one at least
  std::vector<std::uint32_t> workers{};                    // one at least
  std::vector<backoff_actor::Charging> chargings{};        // one at least
};

/// Reads the question that the flags ask; notes problems that name the flags if they ask none.
DeadLettersQuestion read_question(const DeadLettersFlags& flags, backoff_actor::Problems& problems);

} // namespace backoffctl
