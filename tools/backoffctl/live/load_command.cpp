#include "live.hpp"

#include "process.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/text/number_text.hpp"

#include <chrono>
#include <csignal>
#include <iostream>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto load_description =
  R"(Runs a thousand real HTTP clients that retry.

Each client thinks for a while and then calls the server. It retries after a delay as long as the
call fails, gets an answer other than 2xx, or gets none within --timeout. Each call uses a new
connection. All clients run in one process and one thread; with --client sender each is an actor
that gives its calls to a BackOffSender. Every five seconds load prints how many calls per second
were answered, failed and timed out. If calls fail, it says on stderr why most of them do. Ctrl-C
ends it. It is the client of "Exponential Backoff or how not to bring down the server" (smira,
2013).
)";

constexpr auto load_footer = R"(
Examples:
  backoffctl load
      the clients of the article, which retry every 100 ms
  backoffctl load --policy smira_as_shipped
      the same with the exponential backoff of the article's program
  backoffctl load --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --guard circuit_breaker
      a backoff with jitter, and a circuit breaker that all clients share
  backoffctl load --client sender --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --json
      a thousand BackOffSenders, for programs

Keys of the JSON, one object a line:
  clock_s   the machine's clock CLOCK_MONOTONIC, in seconds
  span_s    the length of the period that the line covers, in seconds
  attempts  calls that began
  ok, errors, timedout
            calls that were answered, failed and timed out
  latency_mean_s, latency_max_s
            how long the answered calls took, in seconds
  error     why most of the failed calls failed; null if none did

Exit codes:
  0    after --duration
  1    failed, for example because the process cannot open enough files
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)";

// `OK: 98.00 req/sec, errors: 0.00 req/sec, timedout: 0.00 req/sec`, as the article's program.
std::string client_line(const CallCounts& counts, double span_s) {
  const auto rate = [&](std::uint64_t count) {
    return fixed(static_cast<double>(count) / span_s, 2) + " req/sec";
  };
  return "OK: " + rate(counts.ok) + ", errors: " + rate(counts.errors)
         + ", timedout: " + rate(counts.timedout);
}

class LoadCommand final : public Command {
public:
  explicit LoadCommand(CLI::App& program)
    : Command(program, "load", load_description, load_footer), options_(live_options()) {
    declare_live_clients(*this, options_);
    add_flag(
      "--url",
      [this](const auto& flag, const std::string& given, Problems& problems) {
        if (const auto url = parse_http_url(given); url && !url->is_https)
          url_ = *url;
        else
          problems.add(flag, quoted(given), "a URL such as http://127.0.0.1:8070/api");
      },
      "URL", "the URL to call; default http://127.0.0.1:8070/api");
    add_flag("--every", span(every_, 10ms, 24h), "SPAN",
             "time from one line to the next, 10ms..24h; default 5s");
    add_flag("--duration", span(duration_, 1ms, 24h), "SPAN",
             "end after this time, 1ms..24h; default never");
    add_switch("--json", json_, "print JSON, one object per line, instead of text");
  }

  std::string run() override {
    std::signal(SIGPIPE, SIG_IGN);
    allow_files_of_clients(options_.clients);
    EventLoop loop;
    const EndOnSignal end{loop};
    if (!json_)
      std::cerr << "backoffctl: " << options_.clients << " clients call " << to_string(url_)
                << ", Ctrl-C ends them\n";
    Load load{loop, options_, url_};
    const Reports reports{loop, every_, duration_, [&](double clock_s, double span_s) {
                            tell(load.take(), clock_s, span_s);
                          }};
    loop.run();
    exit_code_ = end.exit_code();
    return {};
  }

  int exit_code() const override { return exit_code_; }

private:
  void check(Problems& problems) override { check_live_clients(options_, problems); }

  // On stderr, where the calls fail, whenever the main cause is another than at the last report.
  void tell_cause(const std::string& cause) {
    if (!cause.empty() && cause != told_cause_)
      std::cerr << "backoffctl: calls to " << to_string(url_) << " fail: " << cause << '\n';
    told_cause_ = cause;
  }

  void tell(const CallCounts& counts, double clock_s, double span_s) {
    if (!json_)
      tell_cause(counts.main_cause());
    print_line(json_ ? counts_json(counts, clock_s, span_s) : client_line(counts, span_s));
  }

  backoff_actor::OutageOptions options_;
  HttpUrl url_{"127.0.0.1", 8070, "/api"};
  backoff_actor::Duration every_ = 5s;
  std::optional<backoff_actor::Duration> duration_;
  bool json_ = false;
  std::string told_cause_;
  int exit_code_ = 0;
};

} // namespace

void add_load_command(CLI::App& program, Commands& commands) {
  add_command<LoadCommand>(program, commands);
}

} // namespace backoffctl
