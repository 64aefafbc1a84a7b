#pragma once

#include "common/report.hpp"

#include <string>
#include <vector>

namespace versus {

/// Has gnuplot draw how far each row is from its goal, into an SVG.
///
/// @errors throws `std::runtime_error` if no row has a goal, gnuplot is missing or fails, or the
///         file cannot be written.
void plot(const std::vector<benchmarks::Row>& results, const std::string& file);

} // namespace versus
