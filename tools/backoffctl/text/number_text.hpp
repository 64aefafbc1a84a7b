#pragma once

#include "backoff_actor/core/time.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

namespace backoffctl {

/// A unit of time. A day has 24 hours, a year 365 days.
struct TimeUnit {
  const char* name;
  const char* word;
  double length_s;
  double from_s;      ///< shorter spans read better in the unit before
  double axis_from_s; ///< as from_s, of the longest span on an axis
  int decades;        ///< of it on a logarithmic axis
};

inline constexpr std::array<TimeUnit, 8> time_units{
  {{"ns", "nanoseconds", 1e-9, 0, 0, 3},
   {"us", "microseconds", 1e-6, 1e-6, 2e-6, 3},
   {"ms", "milliseconds", 1e-3, 1e-3, 2e-3, 3},
   {"s", "seconds", 1, 1, 2, 2},
   {"min", "minutes", 60, 2 * 60, 20 * 60, 2},
   {"h", "hours", 3600, 2 * 3600, 10 * 3600, 2},
   {"d", "days", 86'400, 2 * 86'400, 10 * 86'400, 3},
   {"y", "years", 31'536'000, 2 * 31'536'000, 2 * 31'536'000, 4}}};

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
/// `9.632 min`, `100 y`.
///
/// @units seconds
/// @range 0 or more; what is below a thousandth of a nanosecond is `0 s`
std::string span_text(double span_s);

/// Renders a number of things: `1 retry`, `2 retries`.
std::string counted(std::uint64_t count, const std::string& one, const std::string& several);

} // namespace backoffctl
