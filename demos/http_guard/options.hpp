#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

namespace http_guard {

struct Options {
  std::uint64_t requests = 1000;
  std::uint64_t clients = 4;
  std::uint32_t workers = 1; ///< with more than one, requests finish in any order
  std::uint64_t seed = 1;
  std::chrono::nanoseconds outage =
    std::chrono::milliseconds{700};          ///< of the service, killed by the demo
  std::uint64_t poison = 0;                  ///< requests that the service always refuses with 500
  std::optional<std::uint32_t> max_attempts; ///< as `SenderOptions::max_attempts`
  std::string url;                    ///< the base of somebody else's service; empty: our own
  std::filesystem::path durable;      ///< the file of the durable outbox; empty: there is none
  bool kill_self = false;             ///< in the middle, to go on in another process
  std::optional<std::uint16_t> watch; ///< goes on, and serves pages at this port; 0: any
  std::filesystem::path picture = "demo-output/http_guard.svg";
};

enum ExitCode : int {
  exit_all_acknowledged = 0,
  exit_failed = 1,
  exit_bad_input = 2,
};

/// Reads the command line, and makes the folder for the picture. Where there is nothing to run,
/// because help was asked for or the input is bad, that has been printed, and the exit code is
/// returned.
std::variant<Options, int> parse_options(int argc, char** argv);

} // namespace http_guard
