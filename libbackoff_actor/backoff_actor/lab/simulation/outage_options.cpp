#include "backoff_actor/lab/simulation/internal/outage_options.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/text/internal/number_text.hpp"
#include "backoff_actor/lab/simulation/internal/recovery.hpp"

#include <algorithm>
#include <cmath>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

using detail::check_count;
using detail::check_span;

Problems check(const ServiceOptions& service) {
  Problems problems;
  check_count(problems, "limit", service.limit, 0);
  if (!(service.factor >= 1 && service.factor <= 1000))
    problems.add("factor", detail::number_text(service.factor), "1..1000");
  if (!(service.scale > 0 && service.scale <= 1e9))
    problems.add("scale", detail::number_text(service.scale), "above 0, at most 1000000000");
  check_span(problems, "base_delay", service.base_delay, 1ns, 1h);
  check_count(problems, "backlog", service.backlog, 1, OutageOptions::most_clients);
  check_count(problems, "max_concurrency", service.max_concurrency, 1);
  return problems;
}

} // namespace

Duration service_time(const ServiceOptions& service, std::uint64_t concurrency) {
  if (concurrency <= service.limit)
    return service.base_delay;
  const auto excess = static_cast<double>(concurrency - service.limit) / service.scale;
  const auto span = detail::in_nanoseconds(service.base_delay) * std::pow(service.factor, excess);
  return span < 0x1.0p63 ? Duration{static_cast<std::int64_t>(span)} : Duration::max();
}

Problems check(const OutageOptions& options) {
  constexpr auto longest = OutageOptions::longest;
  Problems problems;
  problems.add_nested("service", check(options.service));
  check_count(problems, "clients", options.clients, 1, OutageOptions::most_clients);
  check_span(problems, "mean_think", options.mean_think, 1us, longest);
  check_span(problems, "timeout", options.timeout, 1us, longest);
  check_span(problems, "warm_up", options.warm_up, 2s, longest);
  check_span(problems, "stop_for", options.stop_for, 0s, longest);
  check_span(problems, "watch", options.watch, shortest_watch, longest);
  if (!options.guard.empty())
    problems.add_nested("guard", check(options.guard));
  check_count(problems, "processes", options.processes, 1, std::max(options.clients, 1U));
  check_count(problems, "max_attempts", options.max_attempts, 1);
  if (options.max_attempts && options.client != OutageClient::sender)
    problems.add("max_attempts", std::to_string(*options.max_attempts) + " for loops",
                 "unset; only senders have it");
  problems.add_nested("charging", check(options.charging));
  if (options.client == OutageClient::sender
      && std::holds_alternative<SmiraAsShipped>(options.policy))
    problems.add("policy", "smira_as_shipped for senders", "a Policy");
  return problems;
}

} // namespace backoff_actor
