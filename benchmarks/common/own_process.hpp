#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

namespace benchmarks {

/// Runs `work` in a process of its own, whose memory nobody has used before, and returns what it
/// returned. That process ends there: nothing of `work`'s needs to be taken down.
///
/// @errors throws `std::runtime_error` if the process did not come to that; it has said why.
/// @thread the caller's must be the only one.
template <class F>
auto in_own_process(F work) {
  using Result = decltype(work());
  static_assert(std::is_trivially_copyable_v<Result>);
  constexpr auto size = static_cast<ssize_t>(sizeof(Result));
  int ends[2];
  std::fflush(nullptr);
  if (pipe(ends) != 0)
    throw std::runtime_error("cannot create a pipe");
  const auto child = fork();
  if (child < 0)
    throw std::runtime_error("cannot create a process");
  if (child == 0) {
    try {
      const auto result = work();
      _exit(write(ends[1], &result, sizeof(Result)) == size ? 0 : 1);
    } catch (const std::exception& exception) {
      std::fprintf(stderr, "%s\n", exception.what());
      std::fflush(stderr);
      _exit(1);
    }
  }
  close(ends[1]);
  Result result{};
  const auto is_whole = read(ends[0], &result, sizeof(Result)) == size;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!is_whole)
    throw std::runtime_error("a measuring process ended without a result");
  return result;
}

} // namespace benchmarks
