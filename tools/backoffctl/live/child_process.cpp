#include "child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace backoffctl {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error{what + ": " + std::generic_category().message(errno)};
}

// In the new process, where only what is safe in a signal handler may be called.
[[noreturn]] void become(char* const* arguments, int output, pid_t parent) {
  // SIGKILL, because it also ends a process that is stopped.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || setpgid(0, 0) != 0
      || dup2(output, STDOUT_FILENO) < 0)
    _exit(1);
  execv("/proc/self/exe", arguments);
  _exit(1);
}

} // namespace

ChildProcess::ChildProcess(EventLoop& loop, const std::vector<std::string>& arguments,
                           OnLine on_line, OnEnd on_end)
  : on_line_(std::move(on_line)), on_end_(std::move(on_end)) {
  std::string name = "backoffctl";
  std::vector<char*> texts{name.data()};
  for (const auto& argument : arguments)
    texts.push_back(const_cast<char*>(argument.c_str())); // execv changes nothing
  texts.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    fail("no pipe");
  output_ = backoff_actor::net::Descriptor{ends[0]};
  const backoff_actor::net::Descriptor its_end{ends[1]};
  const auto parent = getpid();
  id_ = fork();
  if (id_ == 0)
    become(texts.data(), its_end.get(), parent);
  if (id_ < 0)
    fail("cannot start a process for backoffctl " + arguments.front());
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  on_output_ = LoopEvent::on_readable(loop, output_.get(), [this] { read_lines(); });
}

ChildProcess::~ChildProcess() {
  on_output_ = nullptr;
  if (id_ > 0) {
    kill(id_, SIGKILL);
    ending();
  }
}

void ChildProcess::stop() {
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

void ChildProcess::go_on() {
  if (kill(id_, SIGCONT) != 0)
    fail("the server cannot be continued");
}

std::string ChildProcess::ending() {
  int status = 0;
  while (id_ > 0 && waitpid(id_, &status, 0) < 0)
    if (errno != EINTR)
      break;
  id_ = -1;
  if (!WIFSIGNALED(status))
    return "exit code " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
}

void ChildProcess::read_lines() {
  char buffer[4096];
  const auto size = read(output_.get(), buffer, sizeof buffer);
  if (size < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (size <= 0) {
    on_output_->cancel();
    on_end_();
    return;
  }
  unfinished_line_.append(buffer, static_cast<std::size_t>(size));
  for (auto end = unfinished_line_.find('\n'); end != std::string::npos;
       end = unfinished_line_.find('\n')) {
    const auto line = unfinished_line_.substr(0, end);
    unfinished_line_.erase(0, end + 1);
    on_line_(line);
  }
}

} // namespace backoffctl
