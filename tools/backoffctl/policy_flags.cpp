#include "policy_flags.hpp"

#include "backoff_actor/backoff/internal/advice.hpp"
#include "backoff_actor/backoff/parse_policy.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace backoffctl {

std::string indented(const std::string& text) {
  std::string result;
  for (const auto c : text)
    result += c == '\n' ? "\n    " : std::string(1, c);
  return result;
}

std::vector<backoff_actor::Policy> read_policies(const std::string& flag,
                                                 const std::vector<std::string>& given,
                                                 backoff_actor::Problems& problems,
                                                 const std::string& also) {
  const auto parse = [&](const std::string& text) { return backoff_actor::parse_policy(text); };
  const auto explain = [&](const std::string& text, std::string error) {
    static const std::string list = "column 1: expected a policy: ";
    if (also.empty() || error.compare(0, list.size(), list) != 0)
      return error;
    error.insert(list.size(), also + ", ");
    const std::array<std::string_view, 1> name{also};
    return error.insert(std::min(error.find('\n'), error.size()),
                        backoff_actor::detail::did_you_mean(text, name));
  };
  return read_texts(flag, given, problems, parse, miss_policy, explain);
}

void miss_policy(const std::string& flag, backoff_actor::Problems& problems) {
  problems.add(flag, "nothing",
               "a policy such as 'exponential(100ms, x2, cap 30s) | full_jitter', or several");
}

} // namespace backoffctl
