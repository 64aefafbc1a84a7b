#pragma once

#include "versus/report.hpp"

#include "pictures/picture.hpp"

#include <string>
#include <vector>

namespace versus {

/// Returns the picture of how far each row is from its goal.
///
/// @errors throws `std::runtime_error` if no row has a goal.
pictures::Picture goals_picture(const std::vector<Result>& results);

/// Has gnuplot draw that picture, into an SVG.
///
/// @errors throws `std::runtime_error` if no row has a goal, gnuplot is missing or fails, or the
///         file cannot be written.
void plot(const std::vector<Result>& results, const std::string& file);

} // namespace versus
