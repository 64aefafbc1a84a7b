#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace versus {

/// Returns the value that so large a part of all is below, or at; reorders them.
///
/// @range `values` is not empty, `0 <= part <= 1`
inline double percentile(std::vector<double>& values, double part) {
  const auto rank =
    static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  const auto it = values.begin() + rank;
  std::nth_element(values.begin(), it, values.end());
  return *it;
}

} // namespace versus
