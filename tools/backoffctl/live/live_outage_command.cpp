#include "live.hpp"

#include "process.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/progress_line.hpp"
#include "backoffctl/text/colour.hpp"
#include "backoffctl/text/number_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;
using backoff_actor::Duration;

constexpr auto live_outage_description =
  R"(Stops a real server under real load, and shows whether the clients recover.

outage starts a server as backoffctl serve does, in a process of its own, and runs a thousand
clients as backoffctl load does. It waits until their rate is steady, stops the server with SIGSTOP,
continues it, and watches.

The clients have recovered if, from some second at least 30 s before the end, no call fails and
answers come at 95 % of the rate before the outage. That rate must hold in each minute from that
second on (in each 30 s of the last minute) and over the whole remaining time. The check allows for
the noise of random calls: four standard deviations in each minute, two over the whole time. So the
clients can use all but the last 30 s of --watch to recover; the verdict prints how long that is.

The server ends with this command, however the command ends.

Besides the policy, three things decide: how many connections can wait at the server (--backlog),
how much load it bears (--limit, --factor), and whether it works on requests whose clients have
left (--abandoned-work).
)";

constexpr auto live_outage_footer = R"(
Examples:
  backoffctl outage
      a fixed delay of 100 ms and an outage of 20 s; runs almost two minutes
  backoffctl outage --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --plot outage.svg
      a backoff with jitter, with a picture
  backoffctl outage --policy 'exponential(1s) | full_jitter' --guard circuit_breaker --client sender
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

// The calls of independent clients come at their usual rate from the start; only the first of them
// are still under way when this time ends.
constexpr double warm_s = 1;

constexpr std::size_t steady_seconds = 5;
constexpr Duration longest_unsteadiness = 60s; // beyond the time to warm up
constexpr auto look_for_progress = 200ms;

double clock_s() { return seconds_of(EventLoop::now().since_origin); }

std::size_t whole_seconds(Duration span) {
  return static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(span).count());
}

// The server is stopped and continued while the clients call it.
class LiveOutage {
public:
  LiveOutage(EventLoop& loop, ServerProcess& server, const backoff_actor::OutageOptions& options)
    : loop_(loop), server_(server), options_(options),
      at_end_of_outage_(loop, [this] { continue_server(); }),
      progress_tick_(loop, [this] { show_progress(); }) {
    server_.watch(loop_, [this](const ServerSecond& second) { on_server(second); });
  }

  const OutageRecord& record() const { return record_; }

private:
  enum class Phase { starting, warming_up, stopped, watching };

  void on_server(const ServerSecond& second) {
    if (phase_ != Phase::starting)
      return record_.add_server(second);
    enter(Phase::warming_up, "before the outage", options_.warm_up);
    load_.emplace(loop_, options_, HttpUrl{"127.0.0.1", second.port, "/api"});
    reports_.emplace(loop_, 1s, std::nullopt, [this](double at_s, double span_s) {
      record_.add_load(at_s, span_s, load_->take());
      end_second();
    });
  }

  void end_second() {
    if (phase_ == Phase::watching && record_.size() >= end_)
      loop_.stop();
    if (phase_ != Phase::warming_up || record_.size() < whole_seconds(options_.warm_up))
      return;
    if (record_.is_steady(std::min(steady_seconds, whole_seconds(options_.warm_up))))
      stop_server();
    else if (record_.size() >= whole_seconds(options_.warm_up + longest_unsteadiness))
      throw std::runtime_error{"calls still fail before the outage, after "
                               + std::to_string(record_.size())
                               + " s: the server is too slow for so many clients"};
  }

  // Just now a second of the clients has ended, so that the outage begins with one.
  void stop_server() {
    server_.stop();
    record_.stopped(clock_s());
    enter(Phase::stopped, "the server is stopped", options_.stop_for);
    at_end_of_outage_.in(options_.stop_for);
  }

  void continue_server() {
    server_.go_on();
    record_.back(clock_s());
    end_ =
      static_cast<std::size_t>(std::ceil(record_.times(0).back_s)) + whole_seconds(options_.watch);
    enter(Phase::watching, "after the outage", options_.watch);
  }

  void enter(Phase phase, const char* what, Duration span) {
    phase_ = phase;
    phase_begun_ = EventLoop::now();
    progress_.reset();
    progress_total_ = static_cast<std::uint64_t>(std::max<std::int64_t>(span / 1ms, 1));
    progress_.emplace(std::cerr, is_progress_shown(), what, progress_total_);
    progress_tick_.in(look_for_progress);
  }

  void show_progress() {
    const auto done = (EventLoop::now() - phase_begun_) / 1ms;
    progress_->at(std::min(static_cast<std::uint64_t>(done), progress_total_));
    progress_tick_.in(look_for_progress);
  }

  EventLoop& loop_;
  ServerProcess& server_;
  const backoff_actor::OutageOptions& options_;
  OutageRecord record_;
  Phase phase_ = Phase::starting;
  std::size_t end_ = 0; // of the clients' seconds that are watched
  backoff_actor::Instant phase_begun_;
  LoopEvent at_end_of_outage_;
  LoopEvent progress_tick_;
  std::optional<ProgressLine> progress_;
  std::uint64_t progress_total_ = 1; // ms
  std::optional<Load> load_;
  std::optional<Reports> reports_;
};

class LiveOutageCommand final : public Command {
public:
  explicit LiveOutageCommand(CLI::App& program)
    : Command(program, "outage", live_outage_description, live_outage_footer),
      options_(live_options()) {
    server_.port = 0;
    declare_times(*this, options_, 100ms);
    declare_live_clients(*this, options_);
    declare_server(*this, server_);
    plot_.declare(*this,
                  "also draw the run with gnuplot, to a file whose name\nends in .svg or .png");
    add_switch("--json", json_, "print JSON instead of text");
    add_switch("--seconds", seconds_, "with --json: also print what happened in each second");
  }

  std::string run() override {
    ServerProcess server{server_}; // before there are threads
    std::signal(SIGPIPE, SIG_IGN);
    allow_files_of_clients(options_.clients);
    EventLoop loop;
    const EndOnSignal end{loop};
    auto result = run_of(options_);
    {
      const LiveOutage outage{loop, server, options_};
      loop.run();
      exit_code_ = end.exit_code();
      if (end.signal())
        return {};
      result.summary = outage.record().summary(warm_s);
      result.seconds = outage.record().seconds();
      result.times = outage.record().times(warm_s);
    } // nothing runs while the picture is drawn
    if (plot_wish_)
      draw(live_outage_plot(result, *plot_wish_), *plot_wish_);
    exit_code_ = result.summary.recovery.recovered ? exit_done : exit_not_recovered;
    return json_ ? outage_json({result}, seconds_, false)
                 : coloured_verdicts(live_outage_text(result), may_be_coloured(STDOUT_FILENO));
  }

private:
  void check(Problems& problems) override {
    check_live_clients(options_, problems);
    plot_wish_ = plot_.read(problems);
    if (seconds_ && !json_)
      problems.add("--seconds", "needs --json", "");
  }

  backoff_actor::OutageOptions options_;
  ServerOptions server_;
  PlotFlags plot_;
  std::optional<PlotRequest> plot_wish_;
  bool json_ = false;
  bool seconds_ = false;
};

} // namespace

void add_live_outage_command(CLI::App& program, Commands& commands) {
  add_command<LiveOutageCommand>(program, commands);
}

} // namespace backoffctl
