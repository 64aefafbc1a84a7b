#include "life.hpp"

#include "common/process.hpp"
#include "options.hpp"

#include "backoff_actor/process/stop_signals.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <system_error>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace http_guard {

namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 20ms;

std::filesystem::path note_in(const Life& life) { return life.folder / "first_life.txt"; }

pid_t start(const Options& options, const Life& life, int (*live)(const Options&, Life)) {
  const auto parent = getpid();
  const auto process = fork();
  if (process < 0)
    throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (process > 0)
    return process;
  // The parent passes on what a terminal sends, once.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    std::_Exit(exit_failed);
  std::exit(live(options, life)); // what the parent has on its stack stays the parent's
}

example::Ending wait_for(pid_t process, backoff_actor::StopSignals& signals) {
  for (auto is_told = false;;) {
    int status = 0;
    if (waitpid(process, &status, is_told ? 0 : WNOHANG) == process)
      return {status};
    if (!is_told && signals.wait_for(look_around))
      is_told = kill(process, signals.signal()) == 0;
  }
}

} // namespace

std::uint64_t dies_after(const Options& options) {
  return std::max<std::uint64_t>(1, options.requests / 3);
}

void die(const Life& life, const Counts& counts) {
  std::ofstream{note_in(life)} << counts.acknowledged << ' ' << counts.crashes << ' '
                               << counts.nacks << ' ' << counts.hand_overs << ' ' << counts.resends
                               << std::flush;
  kill(getpid(), SIGKILL);
  std::abort(); // not reached
}

Counts counts_before(const Life& life) {
  Counts result;
  std::ifstream note{note_in(life)};
  note >> result.acknowledged >> result.crashes >> result.nacks >> result.hand_overs
    >> result.resends;
  return result;
}

int live_twice(const Options& options, Life life, int (*live)(const Options&, Life)) {
  life.role = Life::Role::first;
  auto process = start(options, life, live);
  backoff_actor::StopSignals signals;
  auto ending = wait_for(process, signals);
  const auto has_killed_itself = WIFSIGNALED(ending.status) && WTERMSIG(ending.status) == SIGKILL
                                 && std::filesystem::exists(note_in(life));
  if (has_killed_itself) {
    std::cout << "killed itself (SIGKILL) when it had " << counts_before(life).acknowledged
              << " acknowledgements; started again with " << options.durable.string() << std::endl;
    life.role = Life::Role::second;
    process = start(options, life, live);
    ending = wait_for(process, signals);
  }
  if (WIFEXITED(ending.status))
    return WEXITSTATUS(ending.status);
  std::cerr << "http_guard: its process ended with " << to_string(ending) << '\n';
  return exit_failed;
}

} // namespace http_guard
