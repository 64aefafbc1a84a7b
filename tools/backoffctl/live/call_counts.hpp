#pragma once

#include "http_caller.hpp"

#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace backoffctl {

/// What the clients' calls came to in a span of time.
struct CallCounts {
  std::uint64_t attempts = 0;             ///< that began
  std::uint64_t ok = 0;                   ///< that were answered as wished
  std::uint64_t errors = 0;               ///< that failed otherwise than by taking too long
  std::uint64_t timedout = 0;             ///< that took too long
  backoff_actor::Duration latency_sum{0}; ///< of those that were answered as wished
  backoff_actor::Duration latency_max{0};
  std::map<std::string, std::uint64_t>
    causes{}; ///< of the errors, and how many each of them caused

  /// Counts an end.
  void add(const CallResult& result, bool is_ok);

  /// What caused the most errors; empty: there was none.
  std::string main_cause() const;
};

/// Whether a call is one that need not be made again: any answer, or one of 2xx only.
bool is_ok(const CallResult& result, bool any_answer);

/// One line of JSON about a span of time: its end on the machine's clock, and the counts.
///
/// @param clock_s of CLOCK_MONOTONIC, which all processes of a machine have in common
std::string counts_json(const CallCounts& counts, double clock_s, double span_s);

} // namespace backoffctl
