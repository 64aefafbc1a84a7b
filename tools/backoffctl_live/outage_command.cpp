#include "outage_command.hpp"

#include "flag_durations.hpp"
#include "live_outage.hpp"
#include "live_outage_text.hpp"
#include "load_options.hpp"
#include "serve_options.hpp"

#include "backoffctl/colour.hpp"
#include "backoffctl/flag_values.hpp"
#include "backoffctl/outage_json.hpp"
#include "backoffctl/picture.hpp"
#include "backoffctl/program.hpp"
#include "backoffctl/progress_line.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <unistd.h>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto outage_description =
  R"(Stops a real server under real load, and shows whether the clients recover.

outage starts a server and a thousand clients on this machine, as backoffctl serve and load do. It
waits until their rate is steady, stops the server with SIGSTOP, continues it, and watches.

The clients have recovered if, from some second at least 30 s before the end, no call fails and
answers come at 95 % of the rate before the outage. That rate must hold in each minute from that
second on (in each 30 s of the last minute) and over the whole remaining time. The check allows for
the noise of random calls: four standard deviations in each minute, two over the whole time. So the
clients can use all but the last 30 s of --watch to recover; the verdict prints how long that is.

The server and the clients end with this command, however the command ends.

Besides the policy, three things decide: how many connections can wait at the server (--backlog),
how much load it bears (--limit, --factor), and whether it works on requests whose clients have
left (--abandoned-work).
)";

constexpr auto outage_footer = R"(
Examples:
  backoffctl outage
      the article's fixed delay of 100 ms and an outage of 20 s; runs almost two minutes
  backoffctl outage --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --plot outage.svg
      a backoff with jitter, with a picture
  backoffctl outage --policy 'exponential(1s) | full_jitter' --guard circuit_breaker --senders
      a thousand BackOffSenders that share a circuit breaker
  backoffctl outage --clients 100 --limit 3 --stop-for 3s --warm-up 5s --json --seconds
      a small experiment, for programs

Keys of the JSON, the same as for backoffctl simulate outage: runs, with one object:
  policy, guard, client    what the clients use; client is retry or sender
  recovered, recover_s     whether they recovered, and how many seconds after the outage, else null
  peak_concurrency         the most requests in the server since the outage began
  attempts_during_outage   calls that began while the server was stopped
  rate_before              answers per second before the outage
  lost_work                requests that the server finished, or still worked on at the end,
                           although their clients had left
  with --seconds also
  stopped_s, back_s        when the server was stopped and continued, in seconds since the start
  seconds                  one object for each second: attempts, ok, timed_out (with errors),
                           concurrency, peak_concurrency, latency_s (mean of the answers)

Exit codes:
  0    recovered
  1    failed, for example because the server is too slow even before the outage
  2    bad input; nothing was done
  3    not recovered
  130  ended by Ctrl-C (143: by SIGTERM)
)";

class OutageCommand final : public Command {
public:
  explicit OutageCommand(CLI::App& parser) : Command(parser) {
    parser.footer(outage_footer);
    add_flag("--stop-for", stop_for_, "SPAN",
             "how long the server is stopped, 100ms..24h; default 20s");
    add_flag("--warm-up", warm_up_, "SPAN",
             "the shortest time before the outage, 2s..24h; default 15s");
    add_flag("--watch", watch_, "SPAN",
             "how long to watch after the outage, 1min..24h;\ndefault 1min");
    declare_clients(client_flags_, flag_adder(), switch_adder());
    declare_server(server_flags_, flag_adder());
    add_flag("--port", server_flags_.port, "PORT", "port on 127.0.0.1; default any free port");
    add_flag("--plot", plot_flag_, "FILE",
             "also draw the run with gnuplot, to a file whose name\nends in .svg or .png");
    add_switch("--progress", shows_progress_,
               "show a progress line even if stderr is not a terminal");
    add_switch("--json", as_json_, "print JSON instead of text");
    add_switch("--seconds", seconds_, "with --json: also print what happened in each second");
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
      problems.add("--seconds", "needs --json", "");
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
    return as_json_ ? outage_json({result}, seconds_, false)
                    : coloured_verdicts(live_outage_text(result), may_be_coloured(STDOUT_FILENO));
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
