#include "policy_flags.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"
#include "backoff_actor/guard/parse_guard.hpp"

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

std::vector<backoff_actor::GuardOptions> read_guards(const std::string& flag,
                                                     const std::vector<std::string>& given,
                                                     backoff_actor::Problems& problems) {
  const auto parse = [](const std::string& text) { return backoff_actor::parse_guard(text); };
  const auto miss = [](const std::string& name, backoff_actor::Problems& to) {
    to.add(name, "nothing", "a guard such as 'circuit_breaker(5 failures, open 5s)', or none");
  };
  const auto as_it_is = [](const std::string&, const std::string& error) { return error; };
  return read_texts(flag, given, problems, parse, miss, as_it_is);
}

std::vector<backoff_actor::Charging> read_chargings(const std::string& flag,
                                                    const std::vector<std::string>& given,
                                                    backoff_actor::Problems& problems) {
  const auto parse = [](const std::string& text) { return backoff_actor::parse_charging(text); };
  const auto miss = [](const std::string& name, backoff_actor::Problems& to) {
    to.add(name, "nothing", "by_evidence, 'by_evidence(give_up_after 1h)' or every_failure");
  };
  const auto as_it_is = [](const std::string&, const std::string& error) { return error; };
  return read_texts(flag, given, problems, parse, miss, as_it_is);
}

void miss_policy(const std::string& flag, backoff_actor::Problems& problems) {
  problems.add(flag, "nothing",
               "a policy such as 'exponential(100ms, x2, cap 30s) | full_jitter', or several");
}

} // namespace backoffctl
