#include "outage_command.hpp"

#include "outage_answer.hpp"
#include "outage_json.hpp"
#include "outage_plot.hpp"
#include "outage_question.hpp"
#include "outage_text.hpp"
#include "progress_line.hpp"

#include "backoff_actor/lab/simulation/outage.hpp"

#include <iostream>

namespace backoffctl {

namespace {

constexpr auto outage_description =
  R"(A service stops, comes back, and its clients are still there: does it recover?

The experiment of "Exponential Backoff or how not to bring down the server" (smira, 2013), in
virtual time. Clients call a service, think, and call again; a call that is not answered in time
fails, and is tried again after the next delay of the client's policy, for ever. The service takes
the longer the more it has to do at once, and looks at the clock every 50 ms:

  D(c) = base delay * factor ^ ((c - limit) / scale)    for c requests at once, beyond the limit

It is warmed up, stopped (its process is: TCP goes on), continued, and watched. Recovered means:
from some second on, 30 s or more before the end, no call fails, and answers come at 95 % of the rate
before: in each minute from there (each 30 s of the last minute) but for four standard deviations of
the noise of calls that come at random, and in all the time from there but for two.

Three things decide the outcome, besides policy and guard:

  backlog         how many connections its operating system takes while it is stopped. A client that
                  finds no room asks again after 1, 3, 7 ... s, and gives up at its timeout
  saturation      by how much it slows down: limit, factor, scale, base delay, and how many requests
                  it works on at once at the most
  abandoned work  whether it works on for clients that have left
)";

constexpr auto outage_footer = R"(
A policy is one of those that backoffctl plan --help explains, or smira_as_shipped: the client that
was published with the article, whose first delay goes on from the time for which it was idle, and
whose jitter is 100 ms, however long the delay. A guard is none, or a text such as
  circuit_breaker(5 failures, open 5s, probes 1)        retry_budget(20%, 10/s)
or two of them with a + between; all clients share it, and ask it before each call. A client is
retry, a loop, or sender, an actor that makes calls by way of a BackOffSender. All combinations of
what is given run, on the same random numbers; without any of the three flags, a comparison. Without
--policy there are four policies, of which a sender cannot be smira_as_shipped, so that this
combination is left out.

Examples:
  backoffctl simulate outage
      six kinds of clients
  backoffctl simulate outage --stop-for 1min --backlog 128 --abandoned-work dropped
      a service whose operating system and whose handlers are more careful
  backoffctl simulate outage --policy 'fixed(100ms)' 'fixed(10s)' --guard none circuit_breaker --json
      four combinations, for programs
  backoffctl simulate outage --policy smira_as_shipped --plot outage.svg --log
      requests, concurrency and latency over time, as a picture
  backoffctl simulate outage --clients 10000 --limit 300 --scale 150 --backlog 40960 --guard circuit_breaker
      more clients, and a service that is larger to the same degree

Keys of the JSON; all times in seconds:
  runs                     one object for each combination, in their order
  policy, guard, client    the combination, with everything in it
  recovered, recover_s     whether, and how long after the service came back; else null
  peak_concurrency         the most requests that were worked on at once since it was stopped
  attempts_during_outage   calls that began while it was stopped
  rate_before              answers per second before
  lost_work                requests that it finished, or still worked on at the end, although their
                           clients had left
  waiting, still_waiting   clients that were waiting for an answer when it came back, and how many of
                           them had none at the end
  extra_wait_mean_s, extra_wait_p99_s
                           how long these waited from then on: the mean, and what 99 of 100 did not
                           exceed; up to the end for those that had no answer
  stopped_s, back_s        with --seconds: when it was stopped and came back
  seconds                  with --seconds: one object for each second from the beginning
  attempts, ok, timed_out  calls that began, were answered, and failed in that second
  concurrency              requests that it worked on at once, on average; peak_concurrency at the most
  latency_s                of the answers, on average; null if there were none
)";

class OutageCommand final : public Command {
public:
  explicit OutageCommand(CLI::App& parser) : Command(parser) {
    parser.footer(outage_footer);
    parser.allow_extras();
    add_flag("--policy", flags_.policies, "POLICY", "policies, up to 20 (four of them)");
    add_flag("--guard", flags_.guards, "GUARD", "guards, up to 20 (none)");
    add_flag("--client", flags_.clients_are, "KIND", "what calls: retry, sender, or both (retry)");
    add_flag("--stop-for", flags_.stop_for, "SPAN",
             "how long the service is stopped: 0s..24h (20s)");
    add_flag("--backlog", flags_.backlog, "N",
             "connections that wait at the most: 1..1048576 (4096)");
    add_flag("--abandoned-work", flags_.abandoned_work, "WHAT",
             "what becomes of requests whose clients left: kept or\ndropped (kept)");
    add_flag("--limit", flags_.limit, "N",
             "requests at once beyond which it slows down:\n0..4294967295 (30)");
    add_flag("--factor", flags_.factor, "X", "by how much: 1..1000 (1.05)");
    add_flag("--scale", flags_.scale, "X", "for each further so many requests: 0.001..1e+09 (15)");
    add_flag("--base-delay", flags_.base_delay, "SPAN",
             "how long it takes up to the limit: 1ns..1h (100ms)");
    add_flag("--max-concurrency", flags_.max_concurrency, "N",
             "requests that it works on at once at the most; others wait\nin the backlog: "
             "1..4294967295 (any number)");
    add_flag("--clients", flags_.clients, "N", "how many there are: 1..1048576 (1000)");
    add_flag("--lambda", flags_.lambda, "SPAN",
             "how long a client thinks after an answer, on average:\n1us..24h (10s)");
    add_flag("--timeout", flags_.timeout, "SPAN",
             "how long a client waits for an answer: 1us..24h (2s)");
    add_flag("--warm-up", flags_.warm_up, "SPAN",
             "how long it goes well before: 2s..24h (2min). The second\nhalf of it tells what is "
             "normal");
    add_flag("--watch", flags_.watch, "SPAN",
             "how long is watched what comes after: 1min..24h (10min)");
    add_flag("--seed", flags_.seed, "S", "what chance draws from: 0..18446744073709551615 (0)");
    add_flag("--plot", flags_.plot, "FILE",
             "draw what happens over time, too, by gnuplot: a name that\nends in .svg or .png");
    add_switch("--log", flags_.log, "give the --plot a logarithmic axis of concurrency");
    add_switch("--json", flags_.json, "print JSON, with full precision, instead of text");
    add_switch("--seconds", flags_.seconds, "with --json: what happened in each second, too");
    add_switch("--progress", wants_progress_,
               "tell on stderr how far it is, also where that is no\nterminal");
  }

  void check(backoff_actor::Problems& problems) override {
    question_ = read_question(flags_, problems);
  }

  std::string run() override {
    const auto runs = simulated();
    if (question_.plot)
      draw(outage_plot(runs, *question_.plot), *question_.plot);
    return flags_.json ? outage_json(runs, flags_.seconds)
                       : outage_text(heading_of(question_.runs.front()), runs);
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
  return std::make_unique<OutageCommand>(*simulate.add_subcommand("outage", outage_description));
}

} // namespace backoffctl
