#pragma once

#include "command.hpp"

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"
#include "backoff_actor/supervision/charging.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace backoffctl {

/// A policy of the library, or the client published with seed 002, `smira_as_shipped`.
using OutagePolicy = std::variant<backoff_actor::Policy, backoff_actor::SmiraAsShipped>;

/// How many policies a command takes, or guards.
inline constexpr std::size_t most_policies = 20;

/// Readers of policies, guards and rules of which failures are charged, in the forms of
/// `parse_policy`, `parse_guard` and `parse_charging`. Each that is wrong is a problem, under its
/// number if there are several: `POLICY 2`. Then it is left out.
/// @{
ListReader policies(std::vector<backoff_actor::Policy>& values);
ListReader outage_policies(std::vector<OutagePolicy>& values);
ListReader guards(std::vector<backoff_actor::GuardOptions>& values);
ListReader chargings(std::vector<backoff_actor::Charging>& values);
/// @}

/// Notes as a problem that a policy is missing.
void miss_policy(const std::string& flag, Problems& problems);

/// Renders a policy: `smira_as_shipped`, or the text of the library's.
std::string policy_text(const OutagePolicy& policy);

} // namespace backoffctl
