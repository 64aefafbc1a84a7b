#include "outage_command.hpp"

#include "flag_durations.hpp"
#include "live_outage.hpp"
#include "live_outage_text.hpp"
#include "load_options.hpp"
#include "serve_options.hpp"

#include "backoffctl/flag_values.hpp"
#include "backoffctl/outage_json.hpp"
#include "backoffctl/picture.hpp"
#include "backoffctl/program.hpp"
#include "backoffctl/progress_line.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto outage_description =
  R"(Stops a real server under real load: whether the clients recover.

Starts a server and a thousand clients on this machine, as backoffctl serve and load, waits until all is
steady, stops the server with SIGSTOP, continues it, and watches. Recovered means: from some second
on, 30 s or more before the end, no call fails, and answers come at 95 % of the rate before: in each minute from
there (each 30 s of the last minute) but for four standard deviations of the noise of calls that come at
random, and in all the time from there but for two. So all but the last 30 s of --watch are there to recover
in, and the verdict says how long that was. The server and the clients end with this command, whatever
ends that.

What decides is, besides the policy, how many connections the server lets wait (--backlog), how much it
can bear (--limit, --factor), and whether it works on for clients that have left (--abandoned-work).
)";

constexpr auto outage_footer = R"(
Examples:
  backoffctl outage
      the article's fixed delay of 100 ms, and an outage of 20 s: almost two minutes
  backoffctl outage --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --plot outage.svg
      a backoff with jitter, with a picture
  backoffctl outage --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --guard circuit_breaker --senders
      a thousand BackOffSenders that share a circuit breaker
  backoffctl outage --clients 100 --limit 3 --stop-for 3s --warm-up 5s --json --seconds
      a small one, for programs

Keys of the JSON, which are those of backoffctl simulate outage: runs, with one object:
  policy, guard, client    by what the clients go; client is retry or sender
  recovered, recover_s     whether, and how many seconds after the outage; null if not
  peak_concurrency         the most requests in the server from the outage on
  attempts_during_outage   calls that began while the server was stopped
  rate_before              answers per second before the outage
  lost_work                requests finished, or still worked on at the end, for clients that had left
  with --seconds also
  stopped_s, back_s        when the server was stopped and continued, since the beginning
  seconds                  each second: attempts, ok, timed_out (errors, too), concurrency,
                           peak_concurrency, latency_s (mean of those answered)

Exit codes:
  0    recovered
  1    failed, for example because the server is too slow already before the outage
  2    bad input; nothing was done
  3    not recovered
  130  ended by Ctrl-C (143: by SIGTERM)
)";

class OutageCommand final : public Command {
public:
  explicit OutageCommand(CLI::App& parser) : Command(parser) {
    parser.footer(outage_footer);
    add_flag("--stop-for", stop_for_, "SPAN", "how long the server is stopped (20s)");
    add_flag("--warm-up", warm_up_, "SPAN", "how long it runs before, at least (15s)");
    add_flag("--watch", watch_, "SPAN",
             "how long is watched what comes of it, 1min or more (1min)");
    declare_clients(client_flags_, flag_adder(), switch_adder());
    declare_server(server_flags_, flag_adder());
    add_flag("--port", server_flags_.port, "PORT", "of 127.0.0.1 (any that is free)");
    add_flag("--plot", plot_flag_, "FILE",
             "draw it, too, by gnuplot: a name that ends in .svg\nor .png");
    add_switch("--progress", shows_progress_,
               "show a progress line also where stderr is no terminal");
    add_switch("--json", as_json_, "print JSON instead of text");
    add_switch("--seconds", seconds_, "with --json: what happened in each second, too");
  }

  void check(backoff_actor::Problems& problems) override {
    options_ = read_clients(client_flags_, problems);
    read_server(server_flags_, problems);
    const auto read = [&](const char* flag, const std::optional<std::string>& given,
                          backoff_actor::Duration shortest, backoff_actor::Duration& span) {
      if (given)
        span = read_duration(flag, *given, shortest, longest_live, problems).value_or(span);
    };
    read("--stop-for", stop_for_, 100ms, settings_.stop_for);
    read("--warm-up", warm_up_, 2s, settings_.warm_up);
    read("--watch", watch_, backoff_actor::shortest_watch, settings_.watch);
    plot_ = read_plot(plot_flag_, false, problems);
    if (seconds_ && !as_json_)
      problems.add("--seconds", "no --json beside it", "together with --json, which it adds to");
  }

  std::string run() override {
    auto server_flags = server_flags_;
    if (!server_flags.port)
      server_flags.port = "0";
    settings_.server = arguments_of(server_flags);
    settings_.clients = arguments_of(client_flags_);
    settings_.shows_progress = is_progress_shown(shows_progress_);
    EventLoop loop;
    const EndOnSignal end{loop};
    std::optional<LiveOutage> outage{std::in_place, loop, settings_};
    loop.run();
    if (end.signal()) {
      exit_code_ = end.exit_code();
      return {};
    }
    const auto result = result_of(*outage);
    outage.reset(); // nothing runs while the picture is drawn
    if (plot_)
      draw(live_outage_plot(result, *plot_), *plot_);
    exit_code_ = result.summary.recovery.recovered ? exit_done : exit_not_recovered;
    return as_json_ ? outage_json({result}, seconds_, false) : live_outage_text(result);
  }

  int exit_code() const override { return exit_code_; }

private:
  OutageRun result_of(const LiveOutage& outage) const {
    const auto& record = outage.record();
    return {to_string(options_.pace),
            to_string(options_.guard.value_or(backoff_actor::GuardOptions{})),
            options_.are_senders ? "sender" : "retry",
            record.summary(LiveOutage::warm_s),
            record.seconds(),
            record.times(LiveOutage::warm_s)};
  }

  ServerFlags server_flags_;
  ClientFlags client_flags_;
  std::optional<std::string> stop_for_;
  std::optional<std::string> warm_up_;
  std::optional<std::string> watch_;
  std::optional<std::string> plot_flag_;
  std::optional<PlotRequest> plot_;
  bool shows_progress_ = false;
  bool as_json_ = false;
  bool seconds_ = false;
  LoadOptions options_;
  OutageSettings settings_;
  int exit_code_ = exit_done;
};

} // namespace

std::unique_ptr<Command> add_live_outage_command(CLI::App& backoffctl) {
  return std::make_unique<OutageCommand>(*backoffctl.add_subcommand("outage", outage_description));
}

} // namespace backoffctl
