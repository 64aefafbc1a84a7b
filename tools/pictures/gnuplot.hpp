#pragma once

#include "pictures/picture.hpp"

#include <string>

namespace pictures {

/// Runs a gnuplot program and returns the picture that it draws on stdout, an SVG or a PNG.
///
/// @errors throws `std::runtime_error` if gnuplot is missing or complains, or the picture is not
///         whole.
std::string run_gnuplot(const std::string& script);

/// Has gnuplot draw, and returns the picture with its title and description.
///
/// @errors as `run_gnuplot`
std::string drawn(const Picture& picture);

} // namespace pictures
