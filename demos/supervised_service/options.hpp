#pragma once

#include <cstdint>
#include <variant>

namespace supervised_service {

struct Options {
  int port = 0; ///< 0: any that is free
  std::uint64_t workers = 4;
  std::uint64_t crashes = 3; ///< of a hundred works, how many end with a crash
  std::uint64_t seed = 1;
};

enum ExitCode : int {
  exit_stopped = 0,
  exit_failed = 1,
  exit_bad_input = 2,
};

/// Reads the command line. Where there is nothing to run, because help was asked for or the input
/// is bad, that has been printed, and the exit code is returned.
std::variant<Options, int> parse_options(int argc, char** argv);

} // namespace supervised_service
