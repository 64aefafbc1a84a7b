#pragma once

#include "backoff_actor/observe/events.hpp"

#include <cstdint>
#include <mutex>
#include <string>

namespace remote_worker {

/// How far a sender is.
struct Counts {
  std::uint64_t accepted = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t children = 0; ///< that were started
  std::uint64_t resent = 0;   ///< hand-overs of what had been handed over before
  std::string worker{};       ///< the name of the last that answered
  std::string last_failure{}; ///< empty: none
  bool gave_up = false;
};

/// Renders the last line of a run.
std::string summary(const Counts& counts);

/// Renders how far it is.
std::string progress(const Counts& counts, std::uint64_t of);

/// Counts what happens.
///
/// @thread any
class Tally {
public:
  /// Is told what happens in the sender.
  void on_event(const backoff_actor::Event& event);

  /// Is told who has done a number.
  void answered_by(const std::string& worker);

  Counts counts() const;

private:
  mutable std::mutex mutex_;
  Counts counts_;
};

} // namespace remote_worker
