#include "outage.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/policy_flags.hpp"
#include "backoffctl/common/progress_line.hpp"
#include "backoffctl/text/colour.hpp"

#include "backoff_actor/lab/simulation/internal/outage.hpp"
#include "backoff_actor/lab/simulation/internal/recovery.hpp"

#include <algorithm>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using namespace backoff_actor;

constexpr auto outage_description =
  R"(Simulates a service that stops and comes back under load: does it recover?

This is the experiment of "Exponential Backoff or how not to bring down the server" (smira, 2013)
in virtual time. Clients call a service, think, and call again. A call without an answer in time
fails; the client retries it after the next delay of its policy, for ever. The service slows down
when it works on many requests at once, and looks at the clock every 50 ms:

  D(c) = base delay * factor ^ ((c - limit) / scale)    for c requests at once, beyond the limit

The simulation warms the service up (the second half of that time shows what is normal), stops it
(its process stops, TCP goes on), continues it, and watches. The service has recovered if, from some
second at least 30 s before the end, no call fails and answers come at 95 % of the rate before the
outage. That rate must hold in each minute from that second on (in each 30 s of the last minute) and
over the whole remaining time. The check allows for the noise of random calls: four standard
deviations in each minute, two over the whole time.

Besides policy and guard, three things decide the outcome:

  backlog         how many connections the operating system accepts while the service is stopped. A
                  client that finds no room tries again after 1, 3, 7 ... s until its timeout
  saturation      how much the service slows down: limit, factor, scale, base delay, and the most
                  requests that it works on at once
  abandoned work  whether the service works on requests whose clients have left
)";

constexpr auto outage_footer = R"(
backoffctl plan --help explains the policies. One more is smira_as_shipped, the client published
with the article: its first delay depends on how long it was idle, and its jitter is always 100 ms.

A guard is none, or a text such as
  circuit_breaker(5 failures, open 5s, probes 1)        retry_budget(20%, 10/s)
  rate(50/s, burst 5)
or several of them joined with +. All clients of a process share its guard and ask it before each
call. Without --processes there is one process.

A client is retry, a loop, or sender, an actor that calls through a BackOffSender. With
--max-attempts a sender gives a message up after so many charged failures, and --charging says which
count: by_evidence, the library's default, or every_failure. A sender here has one message at a
time; backoffctl simulate dead-letters has senders with many.

All combinations of policies, guards, clients and chargings run, on the same random numbers. If you
give none of --policy, --guard and --client, a fixed comparison runs. Without --policy, four
policies run; a sender cannot be smira_as_shipped, so that combination is left out.

Several runs end with a line that says which to use. Of those that recover, it is the one with the
fewest dead letters; of these, the one that recovers soonest; of these, the one with the lowest
peak: the most calls in one second after the service is back. A run that recovers has shown that the
service bears its peak.

Examples:
  backoffctl simulate outage
      compare six kinds of clients
  backoffctl simulate outage --stop-for 1min --backlog 128 --abandoned-work dropped
      a service with a smaller backlog that drops the requests of clients that left
  backoffctl simulate outage --policy 'fixed(1s)' 'fixed(10s)' --guard none circuit_breaker --json
      four combinations, for programs
  backoffctl simulate outage --policy smira_as_shipped --plot outage.svg --log
      requests, concurrency and latency over time, as a picture
  backoffctl simulate outage --clients 3000 --limit 90 --scale 45 --backlog 12288 --client sender
      three times as many clients, all of them senders, and a service three times as large
  backoffctl simulate outage --processes 40 --guard none circuit_breaker
      clients in 40 processes, each of which has a breaker of its own
  backoffctl simulate outage --client sender --max-attempts 3 --charging by_evidence every_failure
      what an outage costs in dead letters, by evidence and by the old counting

Keys of the JSON; all times in seconds:
  runs                     one object for each combination, in order
  policy, guard, client    the combination, with all parameters
  recovered, recover_s     whether it recovered, and how long after it came back; null if it did not
  peak_concurrency         the most requests in work at once since the service was stopped
  attempts_during_outage   calls that began while the service was stopped
  rate_before              answers per second before the outage
  lost_work                requests that the service finished, or still worked on at the end,
                           although their clients had left
  charging, dead_letters   with --max-attempts: which failures count, and messages given up
  peak_attempts            the most calls that began in one second after the service came back
  waiting, still_waiting   clients that waited for an answer when the service came back, and how
                           many of them still had none at the end
  extra_wait_mean_s, extra_wait_p99_s
                           how long these clients waited from then on: the mean and the 99th
                           percentile; a client without an answer counts until the end
  stopped_s, back_s        with --seconds: when the service was stopped and came back
  seconds                  with --seconds: one object for each second from the beginning
  attempts, ok, timed_out  calls that began, were answered, and failed in that second
  concurrency, peak_concurrency
                           requests in work at once in that second: the mean and the maximum
  latency_s                mean latency of the answers; null if there were none
  advice                   with several runs: the number of the run to use, its recover_s, its peak
                           in times_the_calls of normal times; null if none recovers
)";

Policy full_jitter_policy() {
  return Exponential{.first = 100ms, .factor = 2, .cap = 5min} | full_jitter;
}

std::vector<OutagePolicy> default_policies() {
  return {Policy{Fixed{100ms}}, SmiraAsShipped{}, Policy{Seed002{}}, full_jitter_policy()};
}

bool is_shipped(const OutagePolicy& policy) {
  return std::holds_alternative<SmiraAsShipped>(policy);
}

class OutageCommand final : public Command {
public:
  explicit OutageCommand(CLI::App& simulate)
    : Command(simulate, "outage", outage_description, outage_footer) {
    auto& x = options_;
    add_list("--policy", outage_policies(policies_), "POLICY", "1 to 20 policies; default four");
    add_list("--guard", guards(guards_), "GUARD", "1 to 20 guards; default none");
    add_list("--client", each(clients_, most_policies, client_kind), "KIND",
             "retry, sender, or both; default retry");
    declare_clients(*this, x, OutageOptions::most_clients);
    add_flag(
      "--processes",
      [this](const auto& flag, const std::string& given, Problems& problems) {
        whole(options_.processes, 1, options_.clients)(flag, given, problems);
      },
      "N",
      "processes that the clients run in, each with a guard of its\nown, 1..the clients; "
      "default 1");
    add_flag("--max-attempts", whole(max_attempts_, 1, backoff_actor::detail::most_count), "N",
             "charged failures that end a message of a sender,\n1..1000000000; default no limit");
    add_list("--charging", chargings(chargings_), "RULE",
             "with --max-attempts: by_evidence, every_failure, or both;\ndefault by_evidence");
    declare_service(*this, x.service);
    add_flag("--max-concurrency",
             whole(x.service.max_concurrency, 1, backoff_actor::detail::most_count), "N",
             "the most requests in work at once; others wait in the\nbacklog, 1..1000000000; "
             "default no limit");
    declare_times(*this, x, 0s);
    plot_.declare(
      *this, "also draw the run over time with gnuplot, to a file whose\nname ends in .svg or .png",
      "with --plot: use a logarithmic axis for the concurrency");
    add_switch("--json", json_, "print JSON with full precision instead of text");
    add_switch("--seconds", seconds_, "with --json: also print what happened in each second");
  }

  std::string run() override {
    const auto runs = simulated();
    if (plot_wish_)
      draw(outage_plot(runs, *plot_wish_), *plot_wish_);
    return json_
             ? outage_json(runs, seconds_)
             : coloured_verdicts(outage_text(runs_.front(), runs), may_be_coloured(STDOUT_FILENO));
  }

private:
  void check(Problems& problems) override {
    plot_wish_ = plot_.read(problems);
    if (seconds_ && !json_)
      problems.add("--seconds", "needs --json", "");
    const auto is_sender = std::count(clients_.begin(), clients_.end(), OutageClient::sender) > 0;
    if (is_given("--charging") && !is_given("--max-attempts"))
      problems.add("--charging", "needs --max-attempts", "");
    if (is_given("--max-attempts") && !is_sender)
      problems.add("--max-attempts", "needs --client sender", "");
    if (is_sender && std::any_of(policies_.begin(), policies_.end(), is_shipped))
      problems.add("--policy", policy_text(SmiraAsShipped{}) + " needs --client retry", "");
    options_.max_attempts = max_attempts_;
    const auto is_default = policies_.empty() && guards_.empty() && clients_.empty();
    if (policies_.empty())
      policies_ = default_policies();
    if (guards_.empty())
      guards_ = {GuardOptions{}};
    if (chargings_.empty())
      chargings_ = {Charging{}};
    if (clients_.empty())
      clients_ = {OutageClient::retry};
    for (const auto& policy : policies_)
      for (const auto& guard : guards_)
        for (const auto client : clients_)
          if (client != OutageClient::sender || !is_shipped(policy))
            add(policy, guard, client);
    if (is_default) {
      const GuardOptions breaker{.circuit_breaker = CircuitBreakerOptions{}};
      add(full_jitter_policy(), breaker, OutageClient::retry);
      add(full_jitter_policy(), breaker, OutageClient::sender);
    }
  }

  void add(const OutagePolicy& policy, const GuardOptions& guard, OutageClient client) {
    auto run = options_;
    run.policy = policy;
    run.guard = guard;
    run.client = client;
    if (client != OutageClient::sender)
      run.max_attempts.reset();
    if (!run.max_attempts)
      return runs_.push_back(run);
    for (const auto& charging : chargings_) {
      run.charging = charging;
      runs_.push_back(run);
    }
  }

  OutageRuns simulated() const {
    constexpr std::uint64_t parts = 1'000'000; // of each run
    ProgressLine line{std::cerr, is_progress_shown(), "simulate outage", runs_.size() * parts};
    OutageRuns result;
    for (const auto& options : runs_) {
      const auto before = result.size() * parts;
      auto outcome = simulate_outage(options, [&](std::uint64_t second, std::uint64_t of) {
        line.at(before + second * parts / of);
      });
      auto run = run_of(options);
      run.summary = outcome.summary;
      run.seconds = std::move(outcome.seconds);
      run.times = outcome.times;
      result.push_back(std::move(run));
    }
    return result;
  }

  OutageOptions options_; // what all runs have in common
  std::vector<OutagePolicy> policies_;
  std::vector<GuardOptions> guards_;
  std::vector<OutageClient> clients_;
  std::vector<Charging> chargings_;
  std::optional<std::uint32_t> max_attempts_;
  PlotFlags plot_;
  std::optional<PlotRequest> plot_wish_;
  bool json_ = false;
  bool seconds_ = false;
  std::vector<OutageOptions> runs_; // one at least
};

} // namespace

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

void add_outage_command(CLI::App& simulate, Commands& commands) {
  add_command<OutageCommand>(simulate, commands);
}

} // namespace backoffctl
