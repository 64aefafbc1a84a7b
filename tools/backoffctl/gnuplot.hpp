#pragma once

#include <string>

namespace backoffctl {

/// Runs a gnuplot program and returns the picture that it draws on stdout, an SVG or a PNG.
///
/// @errors throws `std::runtime_error` if gnuplot is missing or complains, or the picture is not
///         whole.
std::string run_gnuplot(const std::string& script);

} // namespace backoffctl
