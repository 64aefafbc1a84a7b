#pragma once

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/guard/guard.hpp"
#include "backoff_actor/supervision/charging.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace backoffctl {

/// How many policies a command takes, or guards.
inline constexpr std::size_t most_policies = 20;

/// Moves what shows the place of an error in a text further in than the line with the flag's name.
std::string indented(const std::string& text);

/// Reads each of several texts by `parse`; notes as a problem each of which it throws `ParseError`,
/// under its number if there are several, and each that is empty, by `miss`. `explain` gets such a
/// text and what the error says, and may add to it.
template <class Parse, class Miss, class Explain>
auto read_texts(const std::string& flag, const std::vector<std::string>& given,
                backoff_actor::Problems& problems, Parse parse, Miss miss, Explain explain) {
  std::vector<decltype(parse(given.front()))> result;
  const auto count = given.size();
  if (count > most_policies)
    problems.add(flag, std::to_string(count) + " of them", "1.." + std::to_string(most_policies));
  for (std::size_t i = 0; i < std::min(count, most_policies); ++i) {
    const auto name = count == 1 ? flag : flag + " " + std::to_string(i + 1);
    if (given[i].empty()) {
      miss(name, problems);
      continue;
    }
    try {
      result.push_back(parse(given[i]));
    } catch (const backoff_actor::ParseError& error) {
      problems.add(name, indented(explain(given[i], std::string{error.what()})), "");
    }
  }
  return result;
}

/// Reads policies in the form of `parse_policy`; notes as a problem each that is none, under its
/// number if there are several: `POLICY 2`. No policies are no problem.
///
/// @param also the name of one that the caller takes besides, for the list of them; may be empty
std::vector<backoff_actor::Policy> read_policies(const std::string& flag,
                                                 const std::vector<std::string>& given,
                                                 backoff_actor::Problems& problems,
                                                 const std::string& also = {});

/// Reads guards in the form of `parse_guard`; notes as a problem each that is none, under its
/// number if there are several. No guards are no problem.
std::vector<backoff_actor::GuardOptions> read_guards(const std::string& flag,
                                                     const std::vector<std::string>& given,
                                                     backoff_actor::Problems& problems);

/// Reads rules of which failures are charged in the form of `parse_charging`; notes as a problem
/// each that is none, under its number if there are several. No rules are no problem.
std::vector<backoff_actor::Charging> read_chargings(const std::string& flag,
                                                    const std::vector<std::string>& given,
                                                    backoff_actor::Problems& problems);

/// Notes as a problem that a policy is missing.
void miss_policy(const std::string& flag, backoff_actor::Problems& problems);

} // namespace backoffctl
