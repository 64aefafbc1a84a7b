#pragma once

#include <string>

namespace backoffctl {

/// Renders a number with as few digits as give it back exactly: `0.1`, `1e-09`.
std::string shortest(double value);

/// Renders a number with so many digits behind the point: `88.197`.
std::string fixed(double value, int decimals);

/// Renders a number with ten digits at most: `1023`, `0.1`, `1.333333333`, `0.000000001`.
///
/// @range 0 or more
std::string rounded(double value);

} // namespace backoffctl
