#pragma once

#include "outage_answer.hpp"

#include "backoffctl/common/picture.hpp"

namespace backoffctl {

/// Returns the picture of runs: calls per second, requests at once and latency over the time since
/// the service was stopped, which was for equally long in all of them.
pictures::Picture outage_plot(const OutageRuns& runs, const PlotRequest& plot);

} // namespace backoffctl
