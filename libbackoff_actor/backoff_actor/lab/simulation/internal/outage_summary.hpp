#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/lab/simulation/internal/recovery.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor {

/// The result of an outage, simulated or real.
struct OutageSummary {
  /// Whether and when the clients recovered.
  Recovery recovery{};

  /// Answers per second before the outage.
  double rate_before = 0;

  /// Calls that began while the service was stopped.
  std::uint64_t attempts_during_outage = 0;

  /// The most calls that began in one whole second after the service came back.
  std::uint64_t peak_attempts = 0;

  /// The most requests that the service worked on at once, from the outage on.
  std::uint64_t peak_concurrency = 0;

  /// Requests that the service finished from the outage on, or still worked on at the end, although
  /// their clients had left.
  std::uint64_t lost_work = 0;

  /// Messages of senders that were given up, from the beginning to the end.
  std::uint64_t dead_letters = 0;

  /// Clients that were waiting for an answer when the service came back, but for those whose
  /// message was given up later.
  std::uint64_t waiting = 0;

  /// How many of these clients were still waiting at the end.
  std::uint64_t still_waiting = 0;

  /// The mean time that these clients waited from then on. Those still waiting count up to the end.
  ///
  /// @units seconds
  double extra_wait_mean_s = 0;

  /// The 99th percentile of these times.
  ///
  /// @units seconds
  double extra_wait_p99_s = 0;
};

/// Fills in all that follows from the seconds: recovery, rate before, attempts and peak. The
/// service may have been stopped for a part of a second. If the exact number of calls is not known,
/// the same part of that second's calls counts.
BACKOFF_ACTOR_EXPORT OutageSummary summarize(const std::vector<OutageSecond>& seconds,
                                             const OutageTimes& times);

/// Fills in the waits after the service came back. There is one number for each client that was
/// waiting then; `still_waiting` of them had no answer at the end.
///
/// @units of `waits_s`: seconds, in any order
BACKOFF_ACTOR_EXPORT void add_waits(OutageSummary& summary, std::vector<double> waits_s,
                                    std::uint64_t still_waiting);

} // namespace backoff_actor
