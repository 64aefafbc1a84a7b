#pragma once

#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

namespace cluster {

struct Options {
  std::uint64_t seconds = 20;
  std::uint64_t seed = 1;
  std::uint64_t rate = 200; ///< jobs a second
  std::uint64_t hands = 0;  ///< processes that offer workers
  backoff_actor::Duration lease = std::chrono::seconds{1};
  std::string postgres; ///< the URL of somebody else's server; empty: a private one
  std::filesystem::path picture = "demo-output/cluster.svg";
};

enum ExitCode : int {
  exit_nothing_lost = 0,
  exit_failed = 1,
  exit_bad_input = 2,
};

/// Reads the command line. Where there is nothing to run, because help was asked for or the input
/// is bad, that has been printed, and the exit code is returned.
std::variant<Options, int> parse_options(int argc, char** argv);

} // namespace cluster
