#pragma once

#include "backoffctl/picture.hpp"

#include "backoff_actor/simulation/outage_summary.hpp"

#include <string>
#include <vector>

namespace backoffctl {

/// All that is to be told of a real outage.
struct OutageResult {
  std::string policy;
  std::string guard;
  bool are_senders;
  std::vector<backoff_actor::OutageSecond> seconds;
  backoff_actor::OutageTimes times;
  backoff_actor::OutageSummary summary;
};

/// `recovered after 4 s`, or `not recovered`.
std::string verdict(const backoff_actor::Recovery& recovery);

/// Renders it for people; the last line is the verdict.
std::string outage_text(const OutageResult& result);

/// Renders it for programs, with the seconds.
std::string outage_json(const OutageResult& result);

/// Returns the gnuplot program that draws it on gnuplot's stdout: calls per second, concurrency and latency
/// over time.
std::string outage_plot_script(const OutageResult& result, const PlotRequest& plot);

} // namespace backoffctl
