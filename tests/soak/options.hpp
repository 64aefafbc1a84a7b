#pragma once

#include "backoffctl/common/picture.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>

namespace backoff_actor::soak {

/// How the program ends.
enum ExitCode : int { exit_fine = 0, exit_failed = 1, exit_bad_input = 2 };

/// What is asked for.
struct Options {
  std::chrono::seconds length{60};
  std::uint64_t seed = 1;
  bool as_json = false;
  std::optional<backoffctl::PlotRequest> picture{};
};

/// Reads the command line. Where there is nothing to do, because help was asked for or the input is
/// bad, that has been printed, and the exit code is returned.
std::variant<Options, int> read_options(int argc, char** argv);

} // namespace backoff_actor::soak
