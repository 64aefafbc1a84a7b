#pragma once

#include "pictures/page.hpp"

#include <string>
#include <vector>

namespace pictures {

/// A vertical axis.
struct Scale {
  double bottom;
  double top;
  bool is_logarithmic = false;

  /// Returns gnuplot's setting of it.
  std::string script() const;

  /// Returns which share of the axis is below a value.
  double share_below(double value) const;
};

/// Where a line ends, and what is written beside it.
struct LineEnd {
  double value; // NaN: the line has no point, and nothing is written
  std::string label;
  const char* colour;
};

/// Returns the settings of labels at the right of a panel, where the lines end. Labels that would
/// be upon each other are moved apart. If they are too many for the panel's height, there are none.
std::string line_ends_script(const Page& page, const Place& place, const Scale& scale,
                             std::vector<LineEnd> ends);

} // namespace pictures
