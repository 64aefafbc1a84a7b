#include "outage_question.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"

#include "backoff_actor/lab/simulation/recovery.hpp"

#include <algorithm>
#include <variant>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor;

using OutagePolicy = std::variant<Policy, SmiraAsShipped>;

constexpr auto shipped = "smira_as_shipped";
constexpr auto longest = OutageOptions::longest;

Policy full_jitter_policy() {
  return Exponential{.first = 100ms, .factor = 2, .cap = 5min} | full_jitter;
}

std::vector<OutagePolicy> default_policies() {
  return {Policy{Fixed{100ms}}, SmiraAsShipped{}, Policy{Seed002{}}, full_jitter_policy()};
}

// In their order; the published client has no text form of the library's.
std::vector<OutagePolicy> read_outage_policies(const OutageFlags& flags, Problems& problems) {
  std::vector<OutagePolicy> result;
  std::vector<std::string> others;
  for (const auto& given : flags.policies)
    others.push_back(given == shipped ? "fixed(0s)" : given); // so that their numbers stay
  const auto policies = read_policies("--policy", others, problems, shipped);
  if (policies.size() != flags.policies.size())
    return result; // there are problems
  for (std::size_t i = 0; i < policies.size(); ++i)
    result.push_back(flags.policies[i] == shipped ? OutagePolicy{SmiraAsShipped{}}
                                                  : OutagePolicy{policies[i]});
  return result;
}

std::vector<OutageClient> read_clients_are(const OutageFlags& flags, Problems& problems) {
  std::vector<OutageClient> result;
  for (const auto& given : flags.clients_are)
    if (given == "retry")
      result.push_back(OutageClient::retry);
    else if (given == "sender")
      result.push_back(OutageClient::sender);
    else
      problems.add("--client", quoted(given), "retry or sender");
  return result;
}

template <class T>
void take(T& value, const std::optional<T>& read) {
  value = read.value_or(value);
}

void read_service(const OutageFlags& flags, ServiceOptions& service, Problems& problems) {
  const auto read_count = [&](const char* flag, const auto& given, std::uint64_t from,
                              std::uint64_t to) {
    const auto read = read_whole(flag, *given, from, to, problems);
    return static_cast<std::uint32_t>(read.value_or(from));
  };
  if (flags.backlog)
    service.backlog = read_count("--backlog", flags.backlog, 1, OutageOptions::most_clients);
  if (flags.max_concurrency)
    service.max_concurrency =
      read_count("--max-concurrency", flags.max_concurrency, 1, backoff_actor::detail::most_count);
  if (flags.limit)
    service.limit = read_count("--limit", flags.limit, 0, backoff_actor::detail::most_count);
  if (flags.factor)
    take(service.factor, read_number("--factor", *flags.factor, 1, 1000, problems));
  if (flags.scale)
    take(service.scale, read_number("--scale", *flags.scale, 1e-3, 1e9, problems));
  if (flags.base_delay)
    take(service.base_delay, read_duration("--base-delay", *flags.base_delay, 1ns, 1h, problems));
  if (flags.abandoned_work) {
    if (*flags.abandoned_work == "dropped")
      service.abandoned_work = AbandonedWork::dropped;
    else if (*flags.abandoned_work != "kept")
      problems.add("--abandoned-work", quoted(*flags.abandoned_work), "kept or dropped");
  }
}

OutageOptions read_options(const OutageFlags& flags, Problems& problems) {
  OutageOptions options;
  read_service(flags, options.service, problems);
  const auto read_span = [&](const char* flag, const std::optional<std::string>& given,
                             Duration& span, Duration least) {
    if (given)
      take(span, read_duration(flag, *given, least, longest, problems));
  };
  if (flags.clients)
    options.clients = static_cast<std::uint32_t>(
      read_whole("--clients", *flags.clients, 1, OutageOptions::most_clients, problems)
        .value_or(1));
  if (flags.processes)
    options.processes = static_cast<std::uint32_t>(
      read_whole("--processes", *flags.processes, 1, options.clients, problems).value_or(1));
  read_span("--lambda", flags.lambda, options.mean_think, 1us);
  read_span("--timeout", flags.timeout, options.timeout, 1us);
  read_span("--warm-up", flags.warm_up, options.warm_up, 2s);
  read_span("--stop-for", flags.stop_for, options.stop_for, 0s);
  read_span("--watch", flags.watch, options.watch, shortest_watch);
  if (flags.seed)
    take(options.seed, read_whole("--seed", *flags.seed, 0, UINT64_MAX, problems));
  return options;
}

std::optional<std::uint32_t> read_max_attempts(const OutageFlags& flags,
                                               const std::vector<OutageClient>& clients,
                                               Problems& problems) {
  if (!flags.max_attempts) {
    if (!flags.chargings.empty())
      problems.add("--charging", "needs --max-attempts", "");
    return std::nullopt;
  }
  if (std::count(clients.begin(), clients.end(), OutageClient::sender) == 0)
    problems.add("--max-attempts", "needs --client sender", "");
  const auto read = read_whole("--max-attempts", *flags.max_attempts, 1,
                               backoff_actor::detail::most_count, problems);
  return static_cast<std::uint32_t>(read.value_or(1));
}

} // namespace

OutageQuestion read_question(const OutageFlags& flags, Problems& problems) {
  auto options = read_options(flags, problems);
  auto policies = read_outage_policies(flags, problems);
  auto guards = read_guards("--guard", flags.guards, problems);
  auto clients = read_clients_are(flags, problems);
  OutageQuestion question;
  question.plot = read_plot(flags.plot, flags.log, problems);
  if (flags.seconds && !flags.json)
    problems.add("--seconds", "needs --json", "");
  auto chargings = read_chargings("--charging", flags.chargings, problems);
  const auto max_attempts = read_max_attempts(flags, clients, problems);
  const auto add = [&](const OutagePolicy& policy, const GuardOptions& guard, OutageClient client) {
    options.policy = policy;
    options.guard = guard;
    options.client = client;
    if (client != OutageClient::sender || !max_attempts)
      return question.runs.push_back(options);
    auto limited = options;
    limited.max_attempts = max_attempts;
    for (const auto& charging : chargings) {
      limited.charging = charging;
      question.runs.push_back(limited);
    }
  };
  const auto is_shipped = [](const OutagePolicy& policy) {
    return std::holds_alternative<SmiraAsShipped>(policy);
  };
  const auto is_sender = std::count(clients.begin(), clients.end(), OutageClient::sender) > 0;
  if (is_sender && std::any_of(policies.begin(), policies.end(), is_shipped))
    problems.add("--policy", std::string{shipped} + " needs --client retry", "");
  const auto is_default =
    flags.policies.empty() && flags.guards.empty() && flags.clients_are.empty();
  if (flags.policies.empty())
    policies = default_policies();
  if (flags.guards.empty())
    guards = {GuardOptions{}};
  if (chargings.empty())
    chargings = {Charging{}};
  if (flags.clients_are.empty())
    clients = {OutageClient::retry};
  for (const auto& policy : policies)
    for (const auto& guard : guards)
      for (const auto client : clients)
        if (client != OutageClient::sender || !is_shipped(policy))
          add(policy, guard, client);
  if (is_default) {
    const GuardOptions breaker{.circuit_breaker = CircuitBreakerOptions{}};
    add(full_jitter_policy(), breaker, OutageClient::retry);
    add(full_jitter_policy(), breaker, OutageClient::sender);
  }
  return question;
}

} // namespace backoffctl
