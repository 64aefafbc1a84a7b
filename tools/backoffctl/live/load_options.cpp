#include "load_options.hpp"

#include "arguments.hpp"
#include "flag_durations.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"

#include "backoff_actor/guard/parse_guard.hpp"

#include <chrono>
#include <stdexcept>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using backoff_actor::Problems;

constexpr auto as_shipped = "smira_as_shipped";
constexpr std::uint64_t most_clients = 100'000;

bool is_number(const std::string& given) {
  return !given.empty() && given.find_first_not_of("0123456789.") == std::string::npos;
}

void read_policy(const std::string& given, LoadOptions& options, Problems& problems) {
  if (given == as_shipped) {
    options.pace = backoff_actor::SmiraAsShipped{};
    return;
  }
  if (const auto policies = read_policies("--policy", {given}, problems, as_shipped);
      !policies.empty())
    options.pace = policies.front();
}

// One of the three that say how a retry is timed.
void read_pace(const ClientFlags& flags, LoadOptions& options, Problems& problems) {
  constexpr auto one = "one of --policy, --exponential-backoff and --simple-backoff-delay";
  options.pace = backoff_actor::Policy{backoff_actor::Fixed{100ms}};
  if (flags.policy && flags.exponential_backoff)
    problems.add("--exponential-backoff", "it together with --policy", one);
  if (flags.simple_backoff_delay && (flags.policy || flags.exponential_backoff))
    problems.add("--simple-backoff-delay",
                 quoted(*flags.simple_backoff_delay) + " together with "
                   + (flags.policy ? "--policy" : "--exponential-backoff"),
                 one);
  if (flags.policy)
    read_policy(*flags.policy, options, problems);
  else if (flags.exponential_backoff)
    options.pace = backoff_actor::SmiraAsShipped{};
  else if (flags.simple_backoff_delay)
    if (const auto delay = read_duration("--simple-backoff-delay", *flags.simple_backoff_delay, 1ns,
                                         longest_live, problems))
      options.pace = backoff_actor::Policy{backoff_actor::Fixed{*delay}};
}

void read_guard(const std::string& given, LoadOptions& options, Problems& problems) {
  try {
    const auto guard = backoff_actor::parse_guard(given);
    if (!guard.empty())
      options.guard = guard;
  } catch (const std::invalid_argument& error) {
    problems.add("--guard", indented(error.what()), "");
  }
}

} // namespace

LoadOptions read_clients(const ClientFlags& flags, Problems& problems) {
  LoadOptions options;
  if (flags.clients)
    if (const auto count = read_whole("--clients", *flags.clients, 1, most_clients, problems))
      options.clients = static_cast<std::uint32_t>(*count);
  if (flags.lambda) // a number of seconds as in the article, or a span
    if (const auto mean =
          read_duration("--lambda", is_number(*flags.lambda) ? *flags.lambda + "s" : *flags.lambda,
                        1ms, longest_live, problems))
      options.mean_think = *mean;
  if (flags.timeout)
    if (const auto span = read_duration("--timeout", *flags.timeout, 1ms, longest_live, problems))
      options.timeout = *span;
  if (flags.seed)
    options.seed = read_whole("--seed", *flags.seed, 0, UINT64_MAX, problems).value_or(0);
  read_pace(flags, options, problems);
  if (flags.guard)
    read_guard(*flags.guard, options, problems);
  options.are_senders = flags.senders;
  options.any_answer_is_ok = !flags.policy && !flags.guard && !flags.senders;
  if (flags.senders && std::holds_alternative<backoff_actor::SmiraAsShipped>(options.pace))
    problems.add("--senders", std::string{"needs a --policy other than "} + as_shipped, "");
  return options;
}

std::vector<std::string> arguments_of(const ClientFlags& flags) {
  std::vector<std::string> result;
  auto copy = flags;
  declare_clients(
    copy,
    [&](const std::string& name, const std::optional<std::string>& given, const auto&,
        const auto&) { add_argument(result, name, given); },
    [&](const std::string& name, bool given, const auto&) {
      if (given)
        result.push_back(name);
    });
  return result;
}

std::string to_string(const Pace& pace) {
  const auto* policy = std::get_if<backoff_actor::Policy>(&pace);
  return policy ? to_string(*policy) : as_shipped;
}

} // namespace backoffctl
