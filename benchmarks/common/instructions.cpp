#include "common/instructions.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace benchmarks {

namespace {

[[noreturn]] void be_traced(const std::function<void()>& work) {
  try {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      throw std::runtime_error("this system lets no process trace another");
    mark();
    mark(); // what the marks themselves take
    work();
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    _exit(1);
  }
  _exit(0);
}

std::vector<std::uint64_t> counts_of(int child) {
  std::vector<std::uint64_t> result;
  auto is_counting = false;
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, 0) != child)
      throw std::runtime_error("a process that was counted is gone");
    if (!WIFSTOPPED(status)) {
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("a process that was counted ended too early");
      return result;
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
}

} // namespace

void mark() { std::raise(SIGSTOP); }

std::vector<std::uint64_t> instructions_of(const std::function<void()>& work) {
  std::fflush(nullptr);
  const auto child = fork();
  if (child < 0)
    throw std::runtime_error("cannot create a process");
  if (child == 0)
    be_traced(work);
  auto result = counts_of(child);
  const auto of_marks = result.front();
  result.erase(result.begin());
  for (auto& count : result)
    count -= of_marks;
  return result;
}

} // namespace benchmarks
