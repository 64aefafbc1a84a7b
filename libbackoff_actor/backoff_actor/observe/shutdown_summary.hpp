#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// How a program was stopped, as `GracefulShutdown` did it.
///
/// @units nanoseconds in durations
struct ShutdownSummary {
  int signal = 0;                  ///< `SIGINT` or `SIGTERM`; 0: no signal came before
  Duration took{0};                ///< how long the stop took
  std::uint64_t acknowledged = 0;  ///< deliveries that were acknowledged during the stop
  std::uint64_t suspended = 0;     ///< deliveries left in a store, for a later sender
  std::uint64_t dead_lettered = 0; ///< deliveries that became dead letters
  std::uint32_t abandoned = 0;     ///< children that did not end, and are alive
  std::uint32_t silent_roots = 0;  ///< roots that have not ended in time
  std::uint32_t failed_roots = 0;  ///< roots that ended with an error, before the stop or by it

  /// Whether nothing is lost and nothing is left behind: no dead letters, and all children and
  /// roots have ended.
  bool is_complete() const {
    return dead_lettered == 0 && abandoned == 0 && silent_roots == 0 && failed_roots == 0;
  }

  /// Whether all parts are the same.
  friend bool operator==(const ShutdownSummary&, const ShutdownSummary&) = default;
};

/// Renders a summary in one line:
/// `stopped after 1.2s: 3 acknowledged, 12 suspended, 0 dead-lettered, 0 children abandoned`.
BACKOFF_ACTOR_EXPORT std::string to_string(const ShutdownSummary& summary);

/// Returns the exit code by convention, see `GracefulShutdown`.
///
/// @range 0, 1 or 130
BACKOFF_ACTOR_EXPORT int exit_code(const ShutdownSummary& summary);

/// Returns the line that announces a stop:
///
///     SIGTERM: stopping, within 15s. A second signal ends the program at once.
BACKOFF_ACTOR_EXPORT std::string announcement(int signal, Duration grace);

} // namespace backoff_actor
