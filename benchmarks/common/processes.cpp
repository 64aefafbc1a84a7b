#include "common/processes.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace benchmarks {

namespace {

// Starts a process that does this work, and then ends.
pid_t start(const std::function<void()>& work) {
  std::fflush(nullptr);
  const auto child = fork();
  if (child < 0)
    throw std::runtime_error("cannot create a process");
  if (child > 0)
    return child;
  try {
    work();
    _exit(0);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    std::fflush(stderr);
    _exit(1);
  }
}

// Returns what a process writes to the end of a pipe that it is given.
std::string written_by(const std::string& name, const std::function<void(int)>& work) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("cannot create a pipe");
  const auto child = start([&] {
    close(ends[0]);
    work(ends[1]);
  });
  close(ends[1]);
  std::string result;
  std::array<char, 4096> part{};
  for (auto size = read(ends[0], part.data(), part.size()); size > 0;
       size = read(ends[0], part.data(), part.size()))
    result.append(part.data(), static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error(name + " failed");
  return result;
}

} // namespace

Figures in_own_process(const std::function<Figures()>& work) {
  const auto bytes = written_by("a measuring process", [&](int end) {
    const auto figures = work();
    const auto size = figures.size() * sizeof(double);
    if (write(end, figures.data(), size) != static_cast<ssize_t>(size))
      throw std::runtime_error("cannot write what was measured");
  });
  Figures result(bytes.size() / sizeof(double));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(result.data()));
  return result;
}

std::string output_of(const std::vector<std::string>& command) {
  return written_by(command.front(), [&](int end) {
    dup2(end, STDOUT_FILENO);
    close(end);
    std::vector<char*> arguments;
    for (const auto& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str())); // is only read
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    throw std::runtime_error(command.front() + " cannot be run");
  });
}

void mark() { std::raise(SIGSTOP); }

Figures instructions_of(const std::function<void()>& work) {
  const auto child = start([&] {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      throw std::runtime_error("this system lets no process trace another");
    mark();
    mark(); // what the marks themselves take
    work();
  });
  Figures result;
  auto is_counting = false;
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, 0) != child)
      throw std::runtime_error("a process that was counted is gone");
    if (!WIFSTOPPED(status)) {
      if (status != 0)
        throw std::runtime_error("a process that was counted ended too early");
      break;
    }
    auto signal = WSTOPSIG(status);
    if (signal == SIGSTOP) {
      is_counting = !is_counting;
      if (is_counting)
        result.push_back(0);
      signal = 0;
    } else if (signal == SIGTRAP) {
      ++result.back();
      signal = 0;
    }
    ptrace(is_counting ? PTRACE_SINGLESTEP : PTRACE_CONT, child, nullptr, signal);
  }
  const auto of_marks = result.front();
  result.erase(result.begin());
  for (auto& count : result)
    count -= of_marks;
  return result;
}

} // namespace benchmarks
