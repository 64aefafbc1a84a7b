#include "outage.hpp"

#include "backoffctl/common/flag_values.hpp"

#include "backoff_actor/lab/simulation/internal/recovery.hpp"

namespace backoffctl {

using namespace std::chrono_literals;
using namespace backoff_actor;

void declare_service(Command& command, ServiceOptions& service) {
  command.add_flag("--backlog", whole(service.backlog, 1, OutageOptions::most_clients), "N",
                   "the most connections that can wait, 1..1048576; default 4096");
  command.add_flag(
    "--abandoned-work",
    choice<AbandonedWork>(service.abandoned_work,
                          {{"kept", AbandonedWork::kept}, {"dropped", AbandonedWork::dropped}}),
    "WHAT", "requests whose clients left are kept or dropped;\ndefault kept");
  command.add_flag(
    "--limit", whole(service.limit, 0, backoff_actor::detail::most_count), "N",
    "requests at once beyond which the service slows down,\n0..1000000000; default 30");
  command.add_flag("--factor", number(service.factor, 1, 1000), "X",
                   "slowdown for each --scale requests beyond the limit,\n1..1000; default 1.05");
  command.add_flag("--scale", number(service.scale, 1e-3, 1e9), "X",
                   "requests for which --factor applies once, 0.001..1e+09;\ndefault 15");
  command.add_flag("--base-delay", span(service.base_delay, 1ns, 1h), "SPAN",
                   "time for a request up to the limit, 1ns..1h; default 100ms");
}

void declare_clients(Command& command, OutageOptions& options, std::uint32_t most_clients) {
  command.add_flag("--clients", whole(options.clients, 1, most_clients), "N",
                   "number of clients, 1.." + std::to_string(most_clients) + "; default 1000");
  command.add_flag("--lambda", span(options.mean_think, 1us, OutageOptions::longest), "SPAN",
                   "mean time that a client thinks after an answer, 1us..24h;\ndefault 10s");
  command.add_flag("--timeout", span(options.timeout, 1us, OutageOptions::longest), "SPAN",
                   "how long a client waits for an answer, 1us..24h; default 2s");
  command.add_flag("--seed", whole(options.seed, 0, UINT64_MAX), "S",
                   "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
}

void declare_times(Command& command, OutageOptions& options, Duration shortest_stop) {
  const auto usual = [](Duration span) { return "default " + to_string(span); };
  command.add_flag("--stop-for", span(options.stop_for, shortest_stop, OutageOptions::longest),
                   "SPAN",
                   "how long the service is stopped, " + to_string(shortest_stop) + "..24h;\n"
                     + usual(options.stop_for));
  command.add_flag("--warm-up", span(options.warm_up, 2s, OutageOptions::longest), "SPAN",
                   "the shortest time before the outage, 2s..24h; " + usual(options.warm_up));
  command.add_flag("--watch", span(options.watch, shortest_watch, OutageOptions::longest), "SPAN",
                   "how long to watch after the outage, 1min..24h;\n" + usual(options.watch));
}

Reader client_kind(OutageClient& client) {
  return choice<OutageClient>(client,
                              {{"retry", OutageClient::retry}, {"sender", OutageClient::sender}});
}

} // namespace backoffctl
