#pragma once

#include "backoffctl/common/picture.hpp"
#include "backoffctl/simulate/outage_answer.hpp"

#include <string>

namespace backoffctl {

/// `recovered after 4 s`, or `not recovered within 30 s`: nothing that comes later can be found in
/// what was watched.
std::string verdict(const OutageRun& run);

/// Renders a real outage for people; the last line is the verdict.
std::string live_outage_text(const OutageRun& run);

/// Returns the picture of a real outage: calls per second, requests in the server and latency over
/// time.
pictures::Picture live_outage_plot(const OutageRun& run, const PlotRequest& plot);

} // namespace backoffctl
