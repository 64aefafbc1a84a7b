// http_guard_service: an HTTP service that fails often, by plan, and keeps a ledger of what it
// executed.
//
// It does not look for repetitions, so that the ledger shows them. A real service would remember
// the `Idempotency-Key` of what it has executed and answer a repeated call without executing it
// again.

#include "fault_plan.hpp"

#include <CLI/CLI.hpp>
#include <httplib.h>

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>

namespace http_guard {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds work_time{4};
constexpr milliseconds hang_time{500}; // twice what http_guard waits for an answer

struct ServiceOptions {
  int port = 0;
  std::string ledger = "ledger.txt";
  std::uint64_t seed = 1;
  bool end_with_parent = false;
};

/// Resets the connection that a request came on, so that its caller gets an RST and no answer.
void reset_connection_of(const httplib::Request& request) {
  const auto is_it = [&](int fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    char text[INET_ADDRSTRLEN] = {};
    return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0
           && peer.sin_family == AF_INET && ntohs(peer.sin_port) == request.remote_port
           && inet_ntop(AF_INET, &peer.sin_addr, text, sizeof(text)) != nullptr
           && request.remote_addr == text;
  };
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const auto fd = std::stoi(entry.path().filename());
    if (!is_it(fd))
      continue;
    const linger at_once{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    // httplib owns the number and will close it, so the connection goes and the number stays taken.
    const auto nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup3(nothing, fd, O_CLOEXEC);
    close(nothing);
    return;
  }
}

class Service {
public:
  explicit Service(const ServiceOptions& options)
      : seed_(options.seed),
        ledger_(open(options.ledger.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (ledger_ < 0)
      throw std::system_error(errno, std::generic_category(), "--ledger: " + options.ledger);
  }

  Service(const Service&) = delete;
  ~Service() { close(ledger_); }

  /// @thread any of the server's
  void serve(const httplib::Request& request, httplib::Response& response) {
    const std::string id = request.matches[1];
    const auto fault = next_fault_of(id);
    const auto hangs = fault == Fault::hang_before || fault == Fault::hang_after;
    const auto resets = fault == Fault::reset_before || fault == Fault::reset_after;
    pause(work_time);
    if (fault == Fault::none || fault == Fault::hang_after || fault == Fault::reset_after) {
      execute(id);
      response.set_content("executed " + id + "\n", "text/plain");
    } else {
      response.status = fault == Fault::error_429 ? 429 : 500;
      if (fault == Fault::error_429)
        response.set_header("Retry-After", "1");
    }
    if (hangs)
      pause(hang_time);
    if (resets)
      reset_connection_of(request);
  }

  /// Ends every pause, the present ones and those to come.
  void hurry() {
    const std::lock_guard lock{mutex_};
    is_hurried_ = true;
    hurried_.notify_all();
  }

private:
  Fault next_fault_of(const std::string& id) {
    const std::lock_guard lock{mutex_};
    return fault_of(seed_, id, calls_[id]++);
  }

  // One line by one write to a file opened for appending: whole, or not there, whenever a SIGKILL
  // comes.
  void execute(const std::string& id) const {
    const auto line = id + "\n";
    if (write(ledger_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error("the ledger cannot be written"); // httplib answers 500
  }

  void pause(milliseconds span) {
    std::unique_lock lock{mutex_};
    hurried_.wait_for(lock, span, [this] { return is_hurried_; });
  }

  const std::uint64_t seed_;
  const int ledger_;
  std::mutex mutex_;
  std::condition_variable hurried_;
  bool is_hurried_ = false;
  std::unordered_map<std::string, std::uint64_t> calls_; // per id
};

int run(const ServiceOptions& options) {
  if (options.end_with_parent)
    prctl(PR_SET_PDEATHSIG,
          SIGKILL); // a parent that died before this shows when the port is printed
  sigset_t endings;
  sigemptyset(&endings);
  sigaddset(&endings, SIGINT);
  sigaddset(&endings, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &endings, nullptr); // before any thread, so that sigwait gets them

  Service service{options};
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(32); }; // the server deletes it
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1);        // an idle connection would hold up the end
  server.set_socket_options([](int socket) { // httplib's default lets two services share a port
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

  std::thread listener{[&] { server.listen_after_bind(); }};
  int signal = 0;
  sigwait(&endings, &signal);
  service.hurry();
  server.stop();
  listener.join();
  return 0;
}

} // namespace

} // namespace http_guard

int main(int argc, char** argv) {
  http_guard::ServiceOptions options;
  CLI::App app{
      "A small HTTP service on 127.0.0.1 that fails often: PUT /jobs/<id> executes a job and\n"
      "appends its id to the ledger. Of the calls 4% get a 500, 3% a 429, 1.5% hang for half\n"
      "a second, 2% have their connection reset; half of those that hang or are reset have\n"
      "been executed. The first line on stdout is the port. Ctrl-C or SIGTERM ends it.",
      "http_guard_service"};
  app.get_formatter()->column_width(22);
  app.add_option("--port", options.port, "0..65535; 0 takes any that is free (0)")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  app.add_option("--ledger", options.ledger,
                 "the file to which each executed id is appended (ledger.txt)")
      ->type_name("FILE");
  app.add_option("--seed", options.seed, "which calls fail, and how (1)")->type_name("N");
  app.add_flag("--end-with-parent", options.end_with_parent, "end when whoever started it ends");
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
