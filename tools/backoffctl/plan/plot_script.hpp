#pragma once

#include "plan_answer.hpp"

namespace backoffctl {

/// Returns the picture of an answer: the mean delays as lines, and from min to max an area for each
/// policy that depends on chance.
pictures::Picture plot_script(const PlanAnswer& answer, const PlotRequest& plot);

} // namespace backoffctl
