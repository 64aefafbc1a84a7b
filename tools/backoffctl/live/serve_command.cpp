#include "live.hpp"

#include "process.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/text/number_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto serve_description =
  R"(Runs a real HTTP server that is slow under load.

The server answers GET /api on 127.0.0.1 with 200 and OK after --base-delay. If it works on more
than --limit requests at once, it answers after
--base-delay * --factor ^ ((requests - limit) / scale). It checks the number of requests every
50 ms. Every second it prints the number of requests in work and the last delay that it computed.
Ctrl-C ends it. It is the server of "Exponential Backoff or how not to bring down the server"
(smira, 2013).

Stop it with Ctrl-Z or kill -STOP, continue it with fg or kill -CONT, and watch how its clients
(backoffctl load) react. The kernel's net.core.somaxconn may limit --backlog further.
)";

constexpr auto serve_footer = R"(
Examples:
  backoffctl serve
      the server of that article, on port 8070
  backoffctl serve --limit 100 --abandoned-work dropped --duration 30s
      a larger server that drops requests of clients that left, for half a minute
  backoffctl serve --port 0 --json
      on any free port, for programs

With --json the first line is {"listening":"127.0.0.1:8070","backlog":4096}; then, each second:
  clock_s              the machine's clock CLOCK_MONOTONIC, in seconds
  concurrency, peak_concurrency
                       requests in work now, and the most within the second
  last_delay_s         the last delay that the server computed, in seconds
  requests             requests that arrived within the second
  answered             requests answered to clients that still waited
  finished_for_nobody  requests finished although the client had left
  worked_on_for_nobody requests in work now although the client has left
  dropped              requests that the server dropped because the client had left

Exit codes:
  0    after --duration
  1    failed, for example because the port is taken
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)";

class ServeCommand final : public Command {
public:
  explicit ServeCommand(CLI::App& program)
    : Command(program, "serve", serve_description, serve_footer) {
    declare_server(*this, options_);
    add_flag("--duration", span(duration_, 1ms, 24h), "SPAN",
             "end after this time, 1ms..24h; default never");
    add_switch("--json", json_, "print JSON, one object per line, instead of text");
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

private:
  void tell_beginning(const HttpServer& server) const {
    const auto backlog = tell_backlog(options_.service.backlog);
    const auto address = "127.0.0.1:" + std::to_string(server.port());
    if (!json_) {
      std::cerr << "backoffctl: listening on http://" << address << "/api, Ctrl-C ends it\n";
      return;
    }
    nlohmann::ordered_json json{{"listening", address}, {"backlog", backlog}};
    print_line(json.dump());
  }

  void tell(HttpServer& server, double clock_s) const {
    const auto counts = server.take();
    if (!json_) {
      print_line(clock_text() + "  concurrency " + std::to_string(server.concurrency())
                 + ", last delay " + backoff_actor::to_string(server.last_delay()));
      return;
    }
    nlohmann::ordered_json json{{"clock_s", clock_s},
                                {"concurrency", server.concurrency()},
                                {"peak_concurrency", counts.peak_concurrency},
                                {"last_delay_s", seconds_of(server.last_delay())},
                                {"requests", counts.requests},
                                {"answered", counts.answered},
                                {"finished_for_nobody", counts.finished_for_nobody},
                                {"worked_on_for_nobody", counts.worked_on_for_nobody},
                                {"dropped", counts.dropped}};
    print_line(json.dump());
  }

  ServerOptions options_;
  std::optional<backoff_actor::Duration> duration_;
  bool json_ = false;
};

} // namespace

void declare_server(Command& command, ServerOptions& options) {
  declare_service(command, options.service);
  command.add_flag("--port", whole(options.port, 0, UINT16_MAX), "PORT",
                   "port on 127.0.0.1, 0..65535; 0 takes any free one; default\n"
                     + std::to_string(options.port));
}

std::optional<std::string> note_on_backlog(std::uint32_t wished, std::optional<int> most) {
  if (!most || *most < 0 || wished <= static_cast<std::uint32_t>(*most))
    return std::nullopt;
  return "--backlog: the kernel cuts " + std::to_string(wished) + " to " + std::to_string(*most)
         + ", its net.core.somaxconn; to raise that: sysctl -w net.core.somaxconn="
         + std::to_string(wished);
}

std::uint32_t tell_backlog(std::uint32_t wished) {
  const auto most = longest_backlog();
  if (const auto note = note_on_backlog(wished, most)) {
    std::cerr << "backoffctl: " << *note << '\n';
    return static_cast<std::uint32_t>(*most);
  }
  return wished;
}

void add_serve_command(CLI::App& program, Commands& commands) {
  add_command<ServeCommand>(program, commands);
}

} // namespace backoffctl
