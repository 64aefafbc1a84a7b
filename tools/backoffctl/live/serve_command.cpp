#include "serve_command.hpp"

#include "flag_durations.hpp"
#include "go_format.hpp"
#include "http_server.hpp"
#include "live_help.hpp"
#include "open_files.hpp"
#include "reports.hpp"
#include "serve_options.hpp"

#include "backoffctl/common/flag_values.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

class ServeCommand final : public Command {
public:
  explicit ServeCommand(CLI::App& parser) : Command(parser, serve_help.footer) {
    declare_serve(flags_, flag_adder(), switch_adder());
  }

  void check(backoff_actor::Problems& problems) override {
    options_ = read_server(flags_.server, problems);
    if (flags_.duration)
      duration_ = read_duration("--duration", *flags_.duration, 1ms, longest_live, problems);
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
    if (!flags_.json) {
      std::cerr << "backoffctl: listening on http://" << address << "/api, Ctrl-C ends it\n";
      return;
    }
    nlohmann::ordered_json json;
    json["listening"] = address;
    json["backlog"] = note ? static_cast<std::uint32_t>(*most) : options_.service.backlog;
    print_line(json.dump());
  }

  void tell(HttpServer& server, double clock_s) const {
    const auto counts = server.take();
    if (!flags_.json) {
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

  ServeFlags flags_;
  ServerOptions options_;
  std::optional<backoff_actor::Duration> duration_;
  int exit_code_ = 0;
};

} // namespace

std::unique_ptr<Command> add_serve_command(CLI::App& backoffctl) {
  return std::make_unique<ServeCommand>(
    add_subcommand(backoffctl, "serve", serve_help.description));
}

} // namespace backoffctl
