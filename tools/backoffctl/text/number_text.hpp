#pragma once

#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace backoffctl {

/// Renders a number with as few digits as give it back exactly: `0.1`, `1e-09`.
std::string shortest(double value);

/// Renders a number with so many digits behind the point: `88.197`.
std::string fixed(double value, int decimals);

/// Renders a number with ten digits at most, or so many: `1023`, `0.1`, `1.333333333`,
/// `0.000000001`. Digits before the point all stand.
///
/// @range 0 or more
std::string rounded(double value, int digits = 10);

/// A span in seconds.
inline double seconds_of(backoff_actor::Duration span) {
  return std::chrono::duration<double>{span}.count();
}

/// Renders a span with four digits, in the unit in which it reads best: `270 ms`, `104.6 s`,
/// `9.632 min`, `100 y`. A day has 24 hours, a year 365 days.
///
/// @units seconds
/// @range 0 or more; what is below a thousandth of a nanosecond is `0 s`
std::string span_text(double span_s);

/// Renders a number of things: `1 retry`, `2 retries`.
std::string counted(std::uint64_t count, const std::string& one, const std::string& several);

} // namespace backoffctl
