#pragma once

#include "fault_plan.hpp"

#include <httplib.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace http_guard {

/// Executes jobs, which here means to write their ids into a ledger, and fails by the plan of
/// `fault_of`.
class FailingService {
public:
  /// @errors throws `std::system_error` if the ledger cannot be opened.
  FailingService(std::uint64_t seed, const std::string& ledger);
  FailingService(const FailingService&) = delete;
  FailingService& operator=(const FailingService&) = delete;
  ~FailingService();

  /// Answers a request whose first match is the id of a job, or leaves it without an answer.
  ///
  /// @thread any of the server's
  void serve(const httplib::Request& request, httplib::Response& response);

private:
  Fault next_fault_of(const std::string& id);
  void execute(const std::string& id) const;

  const std::uint64_t seed_;
  const int ledger_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> calls_; // per id
};

} // namespace http_guard
