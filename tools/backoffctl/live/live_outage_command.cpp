#include "live_outage_command.hpp"

#include "flag_durations.hpp"
#include "live_help.hpp"
#include "live_outage.hpp"
#include "live_outage_text.hpp"
#include "load_options.hpp"
#include "serve_options.hpp"

#include "backoffctl/common/colour.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/common/picture.hpp"
#include "backoffctl/common/program.hpp"
#include "backoffctl/common/progress_line.hpp"
#include "backoffctl/simulate/outage_json.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <unistd.h>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

class LiveOutageCommand final : public Command {
public:
  explicit LiveOutageCommand(CLI::App& parser) : Command(parser, live_outage_help.footer) {
    declare_live_outage(flags_, flag_adder(), switch_adder());
  }

  void check(backoff_actor::Problems& problems) override {
    options_ = read_clients(flags_.clients, problems);
    read_server(flags_.server, problems);
    const auto read = [&](const char* flag, const std::optional<std::string>& given,
                          backoff_actor::Duration shortest, backoff_actor::Duration& span) {
      if (given)
        span = read_duration(flag, *given, shortest, longest_live, problems).value_or(span);
    };
    read("--stop-for", flags_.stop_for, 100ms, settings_.stop_for);
    read("--warm-up", flags_.warm_up, 2s, settings_.warm_up);
    read("--watch", flags_.watch, backoff_actor::shortest_watch, settings_.watch);
    plot_ = read_plot(flags_.plot, false, problems);
    if (flags_.seconds && !flags_.json)
      problems.add("--seconds", "needs --json", "");
  }

  std::string run() override {
    auto server_flags = flags_.server;
    if (!server_flags.port)
      server_flags.port = "0";
    settings_.server = arguments_of(server_flags);
    settings_.clients = arguments_of(flags_.clients);
    settings_.shows_progress = is_progress_shown(flags_.progress);
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
    return flags_.json
             ? outage_json({result}, flags_.seconds, false)
             : coloured_verdicts(live_outage_text(result), may_be_coloured(STDOUT_FILENO));
  }

  int exit_code() const override { return exit_code_; }

private:
  OutageRun result_of(const LiveOutage& outage) const {
    const auto& record = outage.record();
    return {to_string(options_.pace),
            to_string(options_.guard.value_or(backoff_actor::GuardOptions{})),
            options_.are_senders ? "sender" : "retry",
            {}, // its senders have no limit of attempts
            record.summary(LiveOutage::warm_s),
            record.seconds(),
            record.times(LiveOutage::warm_s)};
  }

  LiveOutageFlags flags_;
  std::optional<PlotRequest> plot_;
  LoadOptions options_;
  OutageSettings settings_;
  int exit_code_ = exit_done;
};

} // namespace

std::unique_ptr<Command> add_live_outage_command(CLI::App& backoffctl) {
  return std::make_unique<LiveOutageCommand>(
    add_subcommand(backoffctl, "outage", live_outage_help.description));
}

} // namespace backoffctl
