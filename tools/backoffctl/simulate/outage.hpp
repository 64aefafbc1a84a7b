#pragma once

// An outage, simulated or real: its flags, and what it came to.

#include "backoffctl/common/command.hpp"
#include "backoffctl/common/picture.hpp"

#include "backoff_actor/lab/internal/recovery_advice.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"
#include "backoff_actor/lab/simulation/internal/outage_summary.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

// -- flags. What the options are when a flag is declared is its default. --------------------

/// Declares those of the service, but for `--max-concurrency`.
void declare_service(Command& command, backoff_actor::ServiceOptions& service);

/// Declares those of the clients that they all have in common, and `--seed`.
void declare_clients(Command& command, backoff_actor::OutageOptions& options,
                     std::uint32_t most_clients);

/// Declares those of the times.
void declare_times(Command& command, backoff_actor::OutageOptions& options,
                   backoff_actor::Duration shortest_stop);

/// The words of `--client`.
Reader client_kind(backoff_actor::OutageClient& client);

// -- runs -----------------------------------------------------------------------------------

/// One outage, and who had it; simulated or real.
struct OutageRun {
  std::string policy; // as it was given, with everything in it
  std::string guard;
  std::string client;
  std::string charging; // empty: there is no limit of attempts
  backoff_actor::OutageSummary summary;
  std::vector<backoff_actor::OutageSecond> seconds;
  backoff_actor::OutageTimes times;

  /// In one line, without the guard's parameters.
  std::string title() const;
};

using OutageRuns = std::vector<OutageRun>;

/// Returns which of several runs is best: with the fewest dead letters, then the one that recovered
/// soonest, then the one with the lowest peak of calls. Nothing if there is only one, or if none
/// recovered.
std::optional<backoff_actor::RecoveryAdvice> advice_of(const OutageRuns& runs);

/// The calls that began in the worst second after the service came back, as a multiple of those
/// that were answered in a second before.
double times_the_calls(const OutageRun& run);

/// Returns a run without its outcome.
OutageRun run_of(const backoff_actor::OutageOptions& options);

/// Renders runs as a table for the console, under what they have in common.
std::string outage_text(const backoff_actor::OutageOptions& options, const OutageRuns& runs);

/// Renders runs as JSON, with their seconds or without. Of real ones it is not known how long the
/// clients waited.
std::string outage_json(const OutageRuns& runs, bool with_seconds, bool is_simulated = true);

/// Returns the picture of runs: calls per second, requests at once and latency over the time since
/// the service was stopped, which was for equally long in all of them.
pictures::Picture outage_plot(const OutageRuns& runs, const PlotRequest& plot);

} // namespace backoffctl
