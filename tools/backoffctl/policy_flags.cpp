#include "policy_flags.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <algorithm>

namespace backoffctl {

std::string indented(const std::string& text) {
  std::string result;
  for (const auto c : text)
    result += c == '\n' ? "\n    " : std::string(1, c);
  return result;
}

std::vector<backoff_actor::Policy> read_policies(const std::string& flag,
                                                 const std::vector<std::string>& given,
                                                 backoff_actor::Problems& problems) {
  std::vector<backoff_actor::Policy> result;
  const auto count = given.size();
  if (count > most_policies)
    problems.add(flag, std::to_string(count) + " of them", "1.." + std::to_string(most_policies));
  for (std::size_t i = 0; i < std::min(count, most_policies); ++i) {
    const auto name = count == 1 ? flag : flag + " " + std::to_string(i + 1);
    if (given[i].empty()) {
      miss_policy(name, problems);
      continue;
    }
    try {
      result.push_back(backoff_actor::parse_policy(given[i]));
    } catch (const backoff_actor::ParseError& error) {
      problems.add(name, indented(error.what()), "");
    }
  }
  return result;
}

void miss_policy(const std::string& flag, backoff_actor::Problems& problems) {
  problems.add(flag, "nothing",
               "a policy such as 'exponential(100ms, x2, cap 30s) | full_jitter', or several");
}

} // namespace backoffctl
