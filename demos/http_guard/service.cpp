// http_guard_service: an HTTP service that fails by plan, and keeps a ledger of what it was asked,
// what it did and what it said.
//
// It does not look for repetitions, so that the ledger shows them. A real service would remember
// the `Idempotency-Key` of what it has executed, and answer a repetition without executing it
// again.

#include "failing_service.hpp"

#include <CLI/CLI.hpp>
#include <httplib.h>

#include <csignal>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace http_guard {

namespace {

struct ServiceOptions {
  int port = 0;
  std::string ledger = "ledger.txt";
  std::uint64_t seed = 1;
  std::vector<std::string> poison;
  bool end_with_parent = false;
};

int run(const ServiceOptions& options) {
  // A parent that ended before this shows when the port cannot be printed.
  if (options.end_with_parent)
    prctl(PR_SET_PDEATHSIG, SIGKILL);

  FailingService service{options.seed, options.ledger, options.poison};
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(32); }; // the server deletes it
  server.set_tcp_nodelay(true);
  // httplib's default would let two services share a port.
  server.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server.Put("/jobs/([A-Za-z0-9._-]{1,64})",
             [&](const auto& request, auto& response) { service.serve(request, response); });
  const std::string host = "127.0.0.1";
  auto port = options.port;
  if (port == 0)
    port = server.bind_to_any_port(host);
  else if (!server.bind_to_port(host, port))
    port = -1;
  if (port < 0)
    throw std::runtime_error("--port: got " + std::to_string(options.port)
                             + ", which cannot be used: " + std::generic_category().message(errno));
  if (std::printf("%d\n", port) < 0 || std::fflush(stdout) != 0)
    throw std::runtime_error("the port cannot be written to stdout");

  return server.listen_after_bind() ? 0 : 1; // SIGINT and SIGTERM end it as they end any program
}

} // namespace

} // namespace http_guard

int main(int argc, char** argv) {
  http_guard::ServiceOptions options;
  CLI::App app{
    "A small HTTP service on 127.0.0.1 that fails often. PUT /jobs/<id> executes a job: the\n"
    "service notes it in its ledger. Of all calls, 4% get a 500, 0.5% get a 429, 1.5% hang for\n"
    "half a second, and 2% have their connection reset. The service executes half of the calls\n"
    "that hang or are reset. A 429 has a Retry-After of one second; all calls within that second\n"
    "get a 429 too. The first line on stdout is the port. Ctrl-C or SIGTERM ends the service.\n"
    "\n"
    "Each line of the ledger has a time, in microseconds of CLOCK_MONOTONIC, and one of\n"
    "  called ID\n"
    "  executed ID\n"
    "  answered ID STATUS; with 429 also the time from which the service accepts calls again",
    "http_guard_service"};
  app.get_formatter()->column_width(22);
  app.add_option("--port", options.port, "port; 0 takes any free port; default 0")
    ->check(CLI::Range(0, 65535))
    ->type_name("PORT");
  app.add_option("--ledger", options.ledger, "file to append the ledger to; default ledger.txt")
    ->type_name("FILE");
  app.add_option("--seed", options.seed, "decides which calls fail and how; default 1")
    ->type_name("N");
  app.add_option("--poison", options.poison, "job that always gets a 500; may be given again")
    ->type_name("ID");
  app.add_flag("--end-with-parent", options.end_with_parent,
               "end when the process that started it ends");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return http_guard::run(options);
  } catch (const std::exception& exception) {
    std::cerr << "http_guard_service: " << exception.what() << '\n';
    return 1;
  }
}
