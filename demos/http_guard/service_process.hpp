#pragma once

#include "common/process.hpp"
#include "common/reserved_port.hpp"
#include "ledger.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace http_guard {

/// The failing service, `http_guard_service`, in a process of its own: started from the folder of
/// this program, on a port that stays the same from one start to the next.
///
/// @thread one only; the service ends with the thread that started it.
class ServiceProcess {
public:
  /// @param poison the ids of jobs that always get a 500
  /// @errors throws `std::system_error` if there is no free port.
  ServiceProcess(std::filesystem::path ledger, std::uint64_t seed,
                 std::vector<std::string> poison = {});

  /// Starts it, and returns when it takes requests.
  ///
  /// @errors throws an exception that says why it does not.
  void start();

  /// Kills it, if it runs, in the middle of whatever it does. Nothing is written to the ledger
  /// after this.
  void kill();

  /// Returns how it ended, if it was not killed here.
  std::optional<example::Ending> unexpected_ending();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_.number()); }

  /// What it did since this was made, over all its lives.
  Ledger ledger() const { return read_ledger(ledger_); }

private:
  std::filesystem::path ledger_;
  std::uint64_t seed_;
  std::vector<std::string> poison_;
  example::ReservedPort port_;
  example::FileDescriptor output_;
  std::unique_ptr<example::Process> process_;
};

} // namespace http_guard
