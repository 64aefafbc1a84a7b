#pragma once

#include "plan_answer.hpp"

#include <string>
#include <vector>

namespace backoffctl {

/// The vertical axis of a picture: from where to where, and how it is labelled.
struct DelayAxis {
  std::string title;
  double unit_s; // the length of what is counted on it
  double bottom; // in these units, as is the top
  double top;
  bool is_logarithmic;
  std::string script; // gnuplot's settings of its scale and ticks
};

/// Returns the axis on which all delays of the policies can be seen; on a logarithmic one, all that
/// are above 0.
DelayAxis delay_axis(const std::vector<PlannedPolicy>& policies, bool is_logarithmic);

} // namespace backoffctl
