#pragma once

#include "backoff_actor/lab/recovery_advice.hpp"
#include "backoff_actor/lab/simulation/outage_options.hpp"
#include "backoff_actor/lab/simulation/outage_summary.hpp"

#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

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

/// Renders an outage in one line, without its clients' policies: how many clients, what the service
/// is like, how long it was stopped.
std::string heading_of(const backoff_actor::OutageOptions& options);

} // namespace backoffctl
