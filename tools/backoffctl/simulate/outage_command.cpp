#include "outage_command.hpp"

#include "outage_answer.hpp"
#include "outage_json.hpp"
#include "outage_plot.hpp"
#include "outage_question.hpp"
#include "outage_text.hpp"

#include "backoffctl/common/colour.hpp"
#include "backoffctl/common/progress_line.hpp"

#include "backoff_actor/lab/simulation/outage.hpp"

#include <iostream>
#include <unistd.h>

namespace backoffctl {

namespace {

constexpr auto outage_description =
  R"(Simulates a service that stops and comes back under load: does it recover?

This is the experiment of "Exponential Backoff or how not to bring down the server" (smira, 2013)
in virtual time. Clients call a service, think, and call again. A call without an answer in time
fails; the client retries it after the next delay of its policy, for ever. The service slows down
when it works on many requests at once, and looks at the clock every 50 ms:

  D(c) = base delay * factor ^ ((c - limit) / scale)    for c requests at once, beyond the limit

The simulation warms the service up, stops it (its process stops, TCP goes on), continues it, and
watches. The service has recovered if, from some second at least 30 s before the end, no call fails
and answers come at 95 % of the rate before the outage. That rate must hold in each minute from that
second on (in each 30 s of the last minute) and over the whole remaining time. The check allows for
the noise of random calls: four standard deviations in each minute, two over the whole time.

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

Exit codes: 0 done, 1 failed, 2 bad input and nothing was done.
)";

class OutageCommand final : public Command {
public:
  explicit OutageCommand(CLI::App& parser) : Command(parser, outage_footer) {
    add_flag("--policy", flags_.policies, "POLICY", "1 to 20 policies; default four");
    add_flag("--guard", flags_.guards, "GUARD", "1 to 20 guards; default none");
    add_flag("--client", flags_.clients_are, "KIND", "retry, sender, or both; default retry");
    add_flag("--processes", flags_.processes, "N",
             "processes that the clients run in, each with a guard of its\nown, 1..the clients; "
             "default 1");
    add_flag("--max-attempts", flags_.max_attempts, "N",
             "charged failures that end a message of a sender,\n1..1000000000; default no limit");
    add_flag("--charging", flags_.chargings, "RULE",
             "with --max-attempts: by_evidence, every_failure, or both;\ndefault by_evidence");
    add_flag("--stop-for", flags_.stop_for, "SPAN",
             "how long the service is stopped, 0s..24h; default 20s");
    add_flag("--backlog", flags_.backlog, "N",
             "the most connections that can wait, 1..1048576; default 4096");
    add_flag("--abandoned-work", flags_.abandoned_work, "WHAT",
             "requests whose clients left are kept or dropped;\ndefault kept");
    add_flag("--limit", flags_.limit, "N",
             "requests at once beyond which the service slows down,\n0..1000000000; default 30");
    add_flag("--factor", flags_.factor, "X",
             "slowdown for each --scale requests beyond the limit,\n1..1000; default 1.05");
    add_flag("--scale", flags_.scale, "X",
             "requests for which --factor applies once, 0.001..1e+09;\ndefault 15");
    add_flag("--base-delay", flags_.base_delay, "SPAN",
             "time for a request up to the limit, 1ns..1h; default 100ms");
    add_flag("--max-concurrency", flags_.max_concurrency, "N",
             "the most requests in work at once; others wait in the\nbacklog, 1..1000000000; "
             "default no limit");
    add_flag("--clients", flags_.clients, "N", "number of clients, 1..1048576; default 1000");
    add_flag("--lambda", flags_.lambda, "SPAN",
             "mean time that a client thinks after an answer, 1us..24h;\ndefault 10s");
    add_flag("--timeout", flags_.timeout, "SPAN",
             "how long a client waits for an answer, 1us..24h; default 2s");
    add_flag("--warm-up", flags_.warm_up, "SPAN",
             "time before the outage, 2s..24h; its second half shows\nwhat is normal; default "
             "2min");
    add_flag("--watch", flags_.watch, "SPAN",
             "how long to watch after the outage, 1min..24h;\ndefault 10min");
    add_flag("--seed", flags_.seed, "S",
             "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
    add_flag(
      "--plot", flags_.plot, "FILE",
      "also draw the run over time with gnuplot, to a file whose\nname ends in .svg or .png");
    add_switch("--log", flags_.log, "with --plot: use a logarithmic axis for the concurrency");
    add_switch("--json", flags_.json, "print JSON with full precision instead of text");
    add_switch("--seconds", flags_.seconds, "with --json: also print what happened in each second");
    add_switch("--progress", wants_progress_,
               "show progress on stderr even if stderr is not a terminal");
  }

  void check(backoff_actor::Problems& problems) override {
    question_ = read_question(flags_, problems);
  }

  std::string run() override {
    const auto runs = simulated();
    if (question_.plot)
      draw(outage_plot(runs, *question_.plot), *question_.plot);
    return flags_.json ? outage_json(runs, flags_.seconds)
                       : coloured_verdicts(outage_text(heading_of(question_.runs.front()), runs),
                                           may_be_coloured(STDOUT_FILENO));
  }

private:
  OutageRuns simulated() const {
    constexpr std::uint64_t parts = 1'000'000; // of each run
    ProgressLine line{std::cerr, is_progress_shown(wants_progress_), "simulate outage",
                      question_.runs.size() * parts};
    OutageRuns result;
    for (const auto& options : question_.runs) {
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

  OutageFlags flags_;
  bool wants_progress_ = false;
  OutageQuestion question_;
};

} // namespace

std::unique_ptr<Command> add_outage_command(CLI::App& simulate) {
  return std::make_unique<OutageCommand>(add_subcommand(simulate, "outage", outage_description));
}

} // namespace backoffctl
