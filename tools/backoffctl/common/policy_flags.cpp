#include "policy_flags.hpp"

#include "flag_values.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"
#include "backoff_actor/guard/parse_guard.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace backoffctl {

namespace {

using namespace backoff_actor;

constexpr std::string_view shipped = "smira_as_shipped";

// `explain` gets a text that is wrong and what the error says, and may add to it.
template <class T, class Parse, class Explain>
ListReader texts(std::vector<T>& values, Parse parse, const char* example, Explain explain) {
  return [&values, parse, example, explain](
           const std::string& flag, const std::vector<std::string>& given, Problems& problems) {
    const auto count = given.size();
    if (count > most_policies)
      problems.add(flag, std::to_string(count) + " of them", "1.." + std::to_string(most_policies));
    for (std::size_t i = 0; i < std::min(count, most_policies); ++i) {
      const auto name = count == 1 ? flag : flag + " " + std::to_string(i + 1);
      if (given[i].empty()) {
        problems.add(name, "nothing", example);
        continue;
      }
      try {
        values.push_back(parse(given[i]));
      } catch (const ParseError& error) {
        problems.add(name, indented(explain(given[i], std::string{error.what()})), "");
      }
    }
  };
}

std::string as_it_is(const std::string&, std::string error) { return error; }

constexpr auto policy_example =
  "a policy such as 'exponential(100ms, x2, cap 30s) | full_jitter', or several";

// The published client has no text form of the library's.
std::string with_shipped(const std::string& text, std::string error) {
  constexpr std::string_view list = "column 1: expected a policy: ";
  if (!error.starts_with(list))
    return error;
  error.insert(list.size(), std::string{shipped} + ", ");
  return error.insert(std::min(error.find('\n'), error.size()),
                      backoff_actor::detail::did_you_mean(text, std::array{shipped}));
}

} // namespace

ListReader policies(std::vector<Policy>& values) {
  return texts(
    values, [](const std::string& text) { return parse_policy(text); }, policy_example, as_it_is);
}

ListReader outage_policies(std::vector<OutagePolicy>& values) {
  return texts(
    values,
    [](const std::string& text) {
      return text == shipped ? OutagePolicy{SmiraAsShipped{}} : OutagePolicy{parse_policy(text)};
    },
    policy_example, with_shipped);
}

ListReader guards(std::vector<GuardOptions>& values) {
  return texts(
    values, [](const std::string& text) { return parse_guard(text); },
    "a guard such as 'circuit_breaker(5 failures, open 5s)', or none", as_it_is);
}

ListReader chargings(std::vector<Charging>& values) {
  return texts(
    values, [](const std::string& text) { return parse_charging(text); },
    "by_evidence, 'by_evidence(give_up_after 1h)' or every_failure", as_it_is);
}

void miss_policy(const std::string& flag, Problems& problems) {
  problems.add(flag, "nothing", policy_example);
}

std::string policy_text(const OutagePolicy& policy) {
  const auto* const own = std::get_if<Policy>(&policy);
  return own ? to_string(*own) : std::string{shipped};
}

} // namespace backoffctl
