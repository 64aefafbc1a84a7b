#include "common/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace example {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0)
    close(fd_);
}

std::string to_string(const Ending& ending) {
  if (!WIFSIGNALED(ending.status))
    return "exit code " + std::to_string(WEXITSTATUS(ending.status));
  const auto number = WTERMSIG(ending.status);
  return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

Process::Process(const std::vector<std::string>& command, Streams streams) {
  std::vector<char*> arguments;
  for (const auto& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str())); // posix_spawn changes nothing
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [from, to] : {std::pair{streams.in, STDIN_FILENO},
                                 {streams.out, STDOUT_FILENO},
                                 {streams.err, STDERR_FILENO}})
    if (from >= 0)
      posix_spawn_file_actions_adddup2(&actions, from, to);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1); // libcurl's sockets leak

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  const auto error =
    posix_spawnp(&id_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), "cannot start " + command[0]);
}

Process::~Process() {
  send(SIGKILL);
  wait();
}

void Process::send(int signal) {
  if (!ending())
    kill(id_, signal);
}

std::optional<Ending> Process::ending() {
  int status = 0;
  if (!ending_ && waitpid(id_, &status, WNOHANG) == id_)
    ending_ = Ending{status};
  return ending_;
}

Ending Process::wait() {
  while (!ending_) {
    int status = 0;
    if (waitpid(id_, &status, 0) == id_)
      ending_ = Ending{status};
    else if (errno != EINTR)
      ending_ = Ending{0}; // not a child any more: somebody else has waited for it
  }
  return *ending_;
}

} // namespace example
