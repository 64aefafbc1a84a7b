#pragma once

#include "backoffctl/outage_answer.hpp"
#include "backoffctl/picture.hpp"

#include "backoff_actor/simulation/recovery.hpp"

#include <string>

namespace backoffctl {

/// `recovered after 4 s`, or `not recovered`.
std::string verdict(const backoff_actor::Recovery& recovery);

/// Renders a real outage for people; the last line is the verdict.
std::string live_outage_text(const OutageRun& run);

/// Returns the gnuplot program that draws one on gnuplot's stdout: calls per second, concurrency and latency
/// over time.
std::string live_outage_plot(const OutageRun& run, const PlotRequest& plot);

} // namespace backoffctl
