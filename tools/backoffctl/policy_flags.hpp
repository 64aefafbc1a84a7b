#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/problems.hpp"

#include <string>
#include <vector>

namespace backoffctl {

/// How many policies a command takes.
inline constexpr std::size_t most_policies = 20;

/// Moves what shows the place of an error in a text further in than the line with the flag's name.
std::string indented(const std::string& text);

/// Reads policies in the form of `parse_policy`; notes as a problem each that is none, under its number if
/// there are several: `POLICY 2`. No policies are no problem.
std::vector<backoff_actor::Policy> read_policies(const std::string& flag,
                                                 const std::vector<std::string>& given,
                                                 backoff_actor::Problems& problems);

/// Moves what a `ParseError` says further in than the line with the flag's name: the picture of the
/// place below it.
std::string indented(const std::string& text);

/// Notes as a problem that a policy is missing.
void miss_policy(const std::string& flag, backoff_actor::Problems& problems);

} // namespace backoffctl
