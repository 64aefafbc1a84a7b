#pragma once

#include "common/process.hpp"
#include "ledger.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cluster {

/// The service that the jobs are done at. It keeps the ledger: every call, with the number of the
/// job and the epoch of the caller. It refuses a call whose epoch is lower than one that it has
/// seen: that caller is an owner which was frozen, and does not know yet that it owns nothing.
///
/// A thread of its own serves all callers. A caller sends a line for each call, and is answered
/// `done` or `stale`.
///
/// @thread safe from any thread.
class LedgerService {
public:
  /// Listens at this name in the file system.
  ///
  /// @errors throws `std::system_error`
  explicit LedgerService(std::string path);
  LedgerService(const LedgerService&) = delete;
  LedgerService& operator=(const LedgerService&) = delete;
  ~LedgerService();

  const std::string& path() const { return path_; }

  /// All calls from the given one on, in order.
  std::vector<Call> calls(std::size_t from = 0) const;

  /// How many calls came.
  std::size_t count() const;

  /// The epoch below which calls are refused.
  std::uint64_t epoch() const;

private:
  void serve();
  std::string answer(const std::string& line);

  std::string path_;
  example::FileDescriptor listener_;
  example::FileDescriptor stop_;
  mutable std::mutex mutex_;
  std::vector<Call> calls_;
  std::uint64_t epoch_ = 0;
  std::thread thread_; // the last: it uses the others
};

} // namespace cluster
