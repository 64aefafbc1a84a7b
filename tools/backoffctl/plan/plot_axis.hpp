#pragma once

#include "plan_answer.hpp"

#include "pictures/line_ends.hpp"

#include <string>
#include <vector>

namespace backoffctl {

/// The vertical axis of a picture: from where to where, and how it is labelled.
struct DelayAxis {
  std::string title;
  double unit_s;         // the length of what is counted on it
  pictures::Scale scale; // in these units
  std::string ticks;     // gnuplot's setting of them
};

/// Returns the axis on which all delays of the policies can be seen; on a logarithmic one, all that
/// are above 0.
DelayAxis delay_axis(const std::vector<PlannedPolicy>& policies, bool is_logarithmic);

} // namespace backoffctl
