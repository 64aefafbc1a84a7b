#pragma once

#include "fault_plan.hpp"
#include "ledger.hpp"

#include <httplib.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace http_guard {

/// Executes jobs, which here means to note them in a ledger, and fails by the plan of `fault_of`. A
/// 429 is a limit for all: until its time has passed, every call gets one.
class FailingService {
public:
  /// @param poison the ids of jobs that always get a 500
  /// @errors throws `std::system_error` if the ledger cannot be opened.
  FailingService(std::uint64_t seed, const std::string& ledger,
                 const std::vector<std::string>& poison = {});

  /// Answers a request whose first match is the id of a job, or leaves it without an answer.
  ///
  /// @thread any of the server's
  void serve(const httplib::Request& request, httplib::Response& response);

private:
  Fault next_fault_of(const std::string& id, LedgerTime arrival);
  void answer(const std::string& id, int status, httplib::Response& response);
  LedgerTime welcome_from(LedgerTime now);

  const std::uint64_t seed_;
  const LedgerWriter ledger_;
  const std::unordered_set<std::string> poison_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> calls_; // per id, those that met the plan
  LedgerTime welcome_ = 0;                               // from when calls are
};

} // namespace http_guard
