#pragma once

#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace supervised_service {

/// Keeps what supervisors and senders tell, as lines, until somebody reads them.
///
/// @thread all members from any thread.
class Journal {
public:
  /// Returns what a supervisor is told to tell its events to. This object must outlive it.
  backoff_actor::SupervisorEventHook hook();

  /// The same for a sender; of its events those are told that are not ordinary work.
  backoff_actor::EventHook hook_of_sender();

  /// Returns the lines that were written since the last call, each with the seconds since the
  /// beginning, without line ends.
  std::vector<std::string> take();

private:
  void write(const std::string& line);

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

} // namespace supervised_service
