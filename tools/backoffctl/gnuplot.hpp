#pragma once

#include <string>

namespace backoffctl {

/// Runs a gnuplot program and returns what it writes on stdout.
///
/// @errors throws `std::runtime_error` if gnuplot is missing or complains.
std::string run_gnuplot(const std::string& script);

} // namespace backoffctl
