#include "load_command.hpp"

#include "call_counts.hpp"
#include "flag_durations.hpp"
#include "go_format.hpp"
#include "live_help.hpp"
#include "load_options.hpp"
#include "open_files.hpp"
#include "reports.hpp"
#include "retry_clients.hpp"
#include "sender_clients.hpp"

#include "backoffctl/common/flag_values.hpp"

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t files_besides_connections = 64;

class LoadCommand final : public Command {
public:
  explicit LoadCommand(CLI::App& parser) : Command(parser, load_help.footer) {
    declare_load(flags_, flag_adder(), switch_adder());
  }

  void check(backoff_actor::Problems& problems) override {
    options_ = read_clients(flags_.clients, problems);
    if (flags_.url) {
      if (const auto url = parse_http_url(*flags_.url); url && !url->is_https)
        options_.url = *url;
      else
        problems.add("--url", backoffctl::quoted(*flags_.url),
                     "a URL such as http://127.0.0.1:8070/api");
    }
    if (flags_.every)
      every_ =
        read_duration("--every", *flags_.every, 10ms, longest_live, problems).value_or(every_);
    if (flags_.duration)
      duration_ = read_duration("--duration", *flags_.duration, 1ms, longest_live, problems);
  }

  std::string run() override {
    std::signal(SIGPIPE, SIG_IGN);
    allow_open_files(options_.clients + files_besides_connections,
                     std::to_string(options_.clients) + " clients");
    EventLoop loop;
    const EndOnSignal end{loop};
    if (!flags_.json)
      std::cerr << "backoffctl: " << options_.clients << " clients call " << to_string(options_.url)
                << ", Ctrl-C ends them\n";
    CallCounts counts;
    HttpCaller caller{loop, options_.url, options_.timeout};
    const CountedCall call = [&](std::function<void(bool)> done) {
      ++counts.attempts;
      caller.call([&, done = std::move(done)](const CallResult& result) {
        const auto was_ok = is_ok(result, options_.any_answer_is_ok);
        counts.add(result, was_ok);
        done(was_ok);
      });
    };
    const Reports reports{loop, every_, duration_, [&](double clock_s, double span_s) {
                            tell(counts, clock_s, span_s);
                            counts = {};
                          }};
    const auto guard = options_.guard ? backoff_actor::SharedGuard{*options_.guard, options_.seed}
                                      : backoff_actor::SharedGuard{};
    if (options_.are_senders) {
      const SenderClients clients{loop, options_, guard, call};
      loop.run();
    } else {
      const RetryClients clients{loop, options_, guard, call};
      loop.run();
    }
    exit_code_ = end.exit_code();
    return {};
  }

  int exit_code() const override { return exit_code_; }

private:
  // On stderr, where the calls fail, whenever the main cause is another than at the last report.
  void tell_cause(const std::string& cause) {
    if (!cause.empty() && cause != told_cause_)
      std::cerr << "backoffctl: calls to " << to_string(options_.url) << " fail: " << cause << '\n';
    told_cause_ = cause;
  }

  void tell(const CallCounts& counts, double clock_s, double span_s) {
    if (!flags_.json)
      tell_cause(counts.main_cause());
    const auto per_second = [&](std::uint64_t count) {
      return static_cast<double>(count) / span_s;
    };
    print_line(flags_.json ? counts_json(counts, clock_s, span_s)
                           : client_line(per_second(counts.ok), per_second(counts.errors),
                                         per_second(counts.timedout)));
  }

  LoadFlags flags_;
  LoadOptions options_;
  backoff_actor::Duration every_ = 5s;
  std::optional<backoff_actor::Duration> duration_;
  std::string told_cause_;
  int exit_code_ = 0;
};

} // namespace

std::unique_ptr<Command> add_load_command(CLI::App& backoffctl) {
  return std::make_unique<LoadCommand>(add_subcommand(backoffctl, "load", load_help.description));
}

} // namespace backoffctl
