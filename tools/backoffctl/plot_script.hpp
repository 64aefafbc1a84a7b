#pragma once

#include "plan_answer.hpp"

#include <string>

namespace backoffctl {

/// Returns the gnuplot program that draws an answer on gnuplot's stdout, data included: the mean
/// delays as lines, and from min to max an area for each policy that depends on chance.
std::string plot_script(const PlanAnswer& answer, const PlotRequest& plot);

} // namespace backoffctl
