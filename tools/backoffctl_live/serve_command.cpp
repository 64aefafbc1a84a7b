#include "serve_command.hpp"

#include "flag_durations.hpp"
#include "go_format.hpp"
#include "http_server.hpp"
#include "open_files.hpp"
#include "reports.hpp"
#include "serve_options.hpp"

#include "backoffctl/flag_values.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto serve_description =
  R"(A real HTTP server that is slow under load, to be stopped and continued.

GET /api is answered with 200 and OK on 127.0.0.1 after --base-delay; where more than --limit requests are
worked on at once, after --base-delay times --factor ^ ((requests - limit) / scale). Each request looks
every 50 ms how many there are by then. Every second a line is printed: the number of requests, and the
delay that was computed last. Until Ctrl-C.

Stop it with Ctrl-Z or kill -STOP and continue it with fg or kill -CONT, and see what its clients make of
that: backoffctl load.
)";

constexpr auto serve_footer = R"(
Examples:
  backoffctl serve
      the server of the article, on port 8070
  backoffctl serve --limit 100 --abandoned-work dropped --duration 30s
      a larger one, which notices that clients have left, for half a minute
  backoffctl serve --port 0 --json
      on any free port, for programs

With --json the first line is {"listening":"127.0.0.1:8070","backlog":4096}; then, each second:
  clock_s              the machine's clock CLOCK_MONOTONIC, in seconds
  concurrency, peak_concurrency
                       requests that are worked on now, and the most of them within the second
  last_delay_s         computed last, in seconds
  requests             that came in within the second
  answered             to clients that were there
  finished_for_nobody  done although the client had left
  worked_on_for_nobody worked on now although the client has left
  dropped              given up because the client had left

Exit codes:
  0    after --duration
  1    failed, for example because the port is taken
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)";

class ServeCommand final : public Command {
public:
  explicit ServeCommand(CLI::App& parser) : Command(parser) {
    parser.footer(serve_footer);
    declare_server(flags_, flag_adder());
    add_flag("--port", flags_.port, "PORT", "of 127.0.0.1, 0..65535 (8070); 0 is any that is free");
    add_flag("--duration", duration_flag_, "SPAN", "end after so long (never)");
    add_switch("--json", as_json_, "print JSON, one object a line");
  }

  void check(backoff_actor::Problems& problems) override {
    options_ = read_server(flags_, problems);
    if (duration_flag_)
      duration_ = read_duration("--duration", *duration_flag_, 1ms, longest_live, problems);
  }

  std::string run() override {
    std::signal(SIGPIPE, SIG_IGN); // clients leave while they are answered
    allow_most_open_files();
    EventLoop loop;
    const EndOnSignal end{loop};
    HttpServer server{loop, options_};
    tell_beginning(server);
    const Reports reports{loop, 1s, duration_,
                          [&](double clock_s, double) { tell(server, clock_s); }};
    loop.run();
    exit_code_ = end.exit_code();
    return {};
  }

  int exit_code() const override { return exit_code_; }

private:
  void tell_beginning(const HttpServer& server) const {
    const auto most = longest_backlog();
    const auto note = note_on_backlog(options_.service.backlog, most);
    if (note)
      std::cerr << "backoffctl: " << *note << '\n';
    const auto address = "127.0.0.1:" + std::to_string(server.port());
    if (!as_json_) {
      std::cerr << "backoffctl: http://" << address << "/api\n";
      return;
    }
    nlohmann::ordered_json json;
    json["listening"] = address;
    json["backlog"] = note ? static_cast<std::uint32_t>(*most) : options_.service.backlog;
    print_line(json.dump());
  }

  void tell(HttpServer& server, double clock_s) const {
    const auto counts = server.take();
    if (!as_json_) {
      print_line(
        server_line(std::chrono::system_clock::now(), server.concurrency(), server.last_delay()));
      return;
    }
    nlohmann::ordered_json json;
    json["clock_s"] = clock_s;
    json["concurrency"] = server.concurrency();
    json["peak_concurrency"] = counts.peak_concurrency;
    json["last_delay_s"] = std::chrono::duration<double>{server.last_delay()}.count();
    json["requests"] = counts.requests;
    json["answered"] = counts.answered;
    json["finished_for_nobody"] = counts.finished_for_nobody;
    json["worked_on_for_nobody"] = counts.worked_on_for_nobody;
    json["dropped"] = counts.dropped;
    print_line(json.dump());
  }

  ServerFlags flags_;
  std::optional<std::string> duration_flag_;
  bool as_json_ = false;
  ServerOptions options_;
  std::optional<backoff_actor::Duration> duration_;
  int exit_code_ = 0;
};

} // namespace

std::unique_ptr<Command> add_serve_command(CLI::App& backoffctl) {
  return std::make_unique<ServeCommand>(*backoffctl.add_subcommand("serve", serve_description));
}

} // namespace backoffctl
