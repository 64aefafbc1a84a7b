#include "live.hpp"

#include "process.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <type_traits>
#include <unistd.h>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

static_assert(std::is_trivially_copyable_v<ServerSecond>);

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error{what + ": " + std::generic_category().message(errno)};
}

// All of it at once, for it is shorter than PIPE_BUF.
void send(int output, const ServerSecond& second) {
  if (write(output, &second, sizeof second) != sizeof second)
    fail("the pipe cannot be written");
}

// What the new process does. SIGKILL, because it also ends a process that is stopped.
void serve_to(int output, const ServerOptions& options, pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || setpgid(0, 0) != 0)
    fail("the server cannot be made dependent");
  std::signal(SIGPIPE, SIG_IGN); // clients leave while they are answered
  allow_most_open_files();
  EventLoop loop;
  HttpServer server{loop, options};
  tell_backlog(options.service.backlog);
  send(output, {.port = server.port()});
  const Reports reports{loop, 1s, std::nullopt, [&](double clock_s, double) {
                          const auto counts = server.take();
                          send(output, {clock_s, server.concurrency(), counts.peak_concurrency,
                                        counts.finished_for_nobody, counts.worked_on_for_nobody,
                                        server.port()});
                        }};
  loop.run();
}

} // namespace

ServerProcess::ServerProcess(const ServerOptions& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    fail("no pipe");
  output_ = backoff_actor::net::Descriptor{ends[0]};
  backoff_actor::net::Descriptor its_end{ends[1]};
  const auto parent = getpid();
  id_ = fork();
  if (id_ < 0)
    fail("cannot start a process for the server");
  if (id_ > 0) {
    fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    return;
  }
  try {
    serve_to(its_end.get(), options, parent);
  } catch (const std::exception& error) {
    std::cerr << "backoffctl: " << error.what() << '\n';
  }
  _exit(1);
}

ServerProcess::~ServerProcess() {
  on_output_ = nullptr;
  if (id_ > 0) {
    kill(id_, SIGKILL);
    ending();
  }
}

void ServerProcess::watch(EventLoop& loop, std::function<void(const ServerSecond&)> tell) {
  on_output_ = LoopEvent::on_readable(loop, output_.get(), [this, tell = std::move(tell)] {
    ServerSecond second;
    const auto size = read(output_.get(), &second, sizeof second);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (size != sizeof second)
      throw std::runtime_error{"the server ended: " + ending()};
    tell(second);
  });
}

void ServerProcess::stop() {
  if (kill(id_, SIGSTOP) != 0)
    fail("the server cannot be stopped");
  int status = 0;
  while (waitpid(id_, &status, WUNTRACED) < 0)
    if (errno != EINTR)
      fail("the server cannot be stopped");
  if (!WIFSTOPPED(status)) {
    id_ = -1;
    throw std::runtime_error{"the server ended before it could be stopped"};
  }
}

void ServerProcess::go_on() {
  if (kill(id_, SIGCONT) != 0)
    fail("the server cannot be continued");
}

// Waits for its end, and says how it was: `exit code 1`.
std::string ServerProcess::ending() {
  int status = 0;
  while (id_ > 0 && waitpid(id_, &status, 0) < 0)
    if (errno != EINTR)
      break;
  id_ = -1;
  if (!WIFSIGNALED(status))
    return "exit code " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
}

} // namespace backoffctl
