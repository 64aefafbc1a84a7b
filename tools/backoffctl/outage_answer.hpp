#pragma once

#include "backoff_actor/lab/simulation/outage_options.hpp"
#include "backoff_actor/lab/simulation/outage_summary.hpp"

#include <string>
#include <vector>

namespace backoffctl {

/// One outage, and who had it; simulated or real.
struct OutageRun {
  std::string policy; // as it was given, with everything in it
  std::string guard;
  std::string client;
  backoff_actor::OutageSummary summary;
  std::vector<backoff_actor::OutageSecond> seconds;
  backoff_actor::OutageTimes times;

  /// In one line, without the guard's parameters.
  std::string title() const;
};

using OutageRuns = std::vector<OutageRun>;

/// Returns a run without its outcome.
OutageRun run_of(const backoff_actor::OutageOptions& options);

/// Renders an outage in one line, without its clients' policies: how many clients, what the service
/// is like, how long it was stopped.
std::string heading_of(const backoff_actor::OutageOptions& options);

} // namespace backoffctl
