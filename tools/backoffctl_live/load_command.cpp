#include "load_command.hpp"

#include "call_counts.hpp"
#include "flag_durations.hpp"
#include "go_format.hpp"
#include "load_options.hpp"
#include "open_files.hpp"
#include "reports.hpp"
#include "retry_clients.hpp"
#include "sender_clients.hpp"

#include "backoffctl/flag_values.hpp"

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t files_besides_connections = 64;

constexpr auto load_description = R"(Runs a thousand real HTTP clients that retry.

Each client thinks for a while and then calls the server. It retries after a delay as long as the
call fails or gets no answer within --timeout. Each call uses a new connection. All clients run in
one process and one thread; with --senders each is an actor that gives its calls to a
BackOffSender. Every five seconds load prints how many calls per second were answered, failed and
timed out. Ctrl-C ends it.

As in the article's client, any answer is OK, even an error of the server. With --policy, --guard or
--senders, an answer other than 2xx is an error, and the client retries the call.
)";

constexpr auto load_footer = R"(
Examples:
  backoffctl load
      the clients of the article, which retry every 100 ms
  backoffctl load --exponential-backoff
      the same with the exponential backoff of the article's program
  backoffctl load --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --guard circuit_breaker
      a backoff with jitter, and a circuit breaker that all clients share
  backoffctl load --senders --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --json
      a thousand BackOffSenders, for programs

Keys of the JSON, one object a line:
  clock_s   the machine's clock CLOCK_MONOTONIC, in seconds
  span_s    the length of the period that the line covers, in seconds
  attempts  calls that began
  ok, errors, timedout
            calls that were answered, failed and timed out
  latency_mean_s, latency_max_s
            how long the answered calls took, in seconds

Exit codes:
  0    after --duration
  1    failed, for example because the process cannot open enough files
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)";

class LoadCommand final : public Command {
public:
  explicit LoadCommand(CLI::App& parser) : Command(parser) {
    parser.footer(load_footer);
    declare_clients(flags_, flag_adder(), switch_adder());
    add_flag("--url", url_flag_, "URL", "the URL to call; default http://127.0.0.1:8070/api");
    add_flag("--every", every_flag_, "SPAN",
             "time from one line to the next, 10ms..24h; default 5s");
    add_flag("--duration", duration_flag_, "SPAN", "end after this time, 1ms..24h; default never");
    add_switch("--json", as_json_, "print JSON, one object per line, instead of text");
  }

  void check(backoff_actor::Problems& problems) override {
    options_ = read_clients(flags_, problems);
    if (url_flag_) {
      if (const auto url = parse_http_url(*url_flag_))
        options_.url = *url;
      else
        problems.add("--url", backoffctl::quoted(*url_flag_),
                     "a URL such as http://127.0.0.1:8070/api");
    }
    if (every_flag_)
      every_ =
        read_duration("--every", *every_flag_, 10ms, longest_live, problems).value_or(every_);
    if (duration_flag_)
      duration_ = read_duration("--duration", *duration_flag_, 1ms, longest_live, problems);
  }

  std::string run() override {
    std::signal(SIGPIPE, SIG_IGN);
    allow_open_files(options_.clients + files_besides_connections,
                     std::to_string(options_.clients) + " clients");
    EventLoop loop;
    const EndOnSignal end{loop};
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
  void tell(const CallCounts& counts, double clock_s, double span_s) const {
    const auto per_second = [&](std::uint64_t count) {
      return static_cast<double>(count) / span_s;
    };
    print_line(as_json_ ? counts_json(counts, clock_s, span_s)
                        : client_line(per_second(counts.ok), per_second(counts.errors),
                                      per_second(counts.timedout)));
  }

  ClientFlags flags_;
  std::optional<std::string> url_flag_;
  std::optional<std::string> every_flag_;
  std::optional<std::string> duration_flag_;
  bool as_json_ = false;
  LoadOptions options_;
  backoff_actor::Duration every_ = 5s;
  std::optional<backoff_actor::Duration> duration_;
  int exit_code_ = 0;
};

} // namespace

std::unique_ptr<Command> add_load_command(CLI::App& backoffctl) {
  return std::make_unique<LoadCommand>(*backoffctl.add_subcommand("load", load_description));
}

} // namespace backoffctl
