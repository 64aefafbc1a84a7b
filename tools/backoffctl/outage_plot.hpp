#pragma once

#include "outage_answer.hpp"
#include "picture.hpp"

#include <string>

namespace backoffctl {

/// Returns the gnuplot program that draws runs on gnuplot's stdout, data included: requests per second,
/// concurrency and latency over the time since the service was stopped, which was for equally long in
/// all of them.
std::string outage_plot(const OutageRuns& runs, const PlotRequest& plot);

} // namespace backoffctl
