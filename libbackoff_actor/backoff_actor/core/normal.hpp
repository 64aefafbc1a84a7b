#pragma once

#include "backoff_actor/core/export.hpp"

#include <array>
#include <cstdint>

// Numbers from the normal distribution, each computed from one uniform number. They have the same
// bits on every platform. So the code uses no function of the C library except the square root,
// which IEEE 754 defines. It has no sum of products in a header, for a compiler could contract it.

namespace backoff_actor {

/// Returns the quantile: `p` of the mass of the standard normal distribution lies below it.
///
/// @shape  `p -> z`; pure, total
/// @units  dimensionless
/// @range  `0 < p < 1`; outside, the nearest such `p` in steps of 2^-54 is used: `|z| < 8.3`
/// @errors off by at most 2e-7 times max(1, abs(z))
/// @source Wichura, "The Percentage Points of the Normal Distribution", Applied Statistics 37
///         (1988), algorithm AS 241, PPND7.
BACKOFF_ACTOR_EXPORT double normal_quantile(double p);

namespace detail {

/// Quantiles at 0/1024, 1/1024 ... 1024/1024, in units of 2^-28.
using QuantileTable = std::array<std::int32_t, 1025>;

/// The table of the standard normal distribution. Its ends must not be used.
BACKOFF_ACTOR_EXPORT extern const QuantileTable normal_table;

/// The table of the standard normal distribution cut off at -3 and 3.
BACKOFF_ACTOR_EXPORT extern const QuantileTable cut_off_table;

inline double interpolated(const QuantileTable& table, std::int64_t bits) {
  const auto cell = static_cast<std::size_t>(bits >> 43);
  const auto part = (bits >> 11) & 0xffff'ffff;
  const std::int64_t low = table[cell];
  const std::int64_t high = table[cell + 1];
  return static_cast<double>(low + (((high - low) * part) >> 32)) * 0x1.0p-28;
}

/// A number from the standard normal distribution; off by at most 0.003.
///
/// @range `0 <= u < 1`
inline double normal_number(double u) {
  const auto bits = static_cast<std::int64_t>(u * 0x1.0p53);
  constexpr std::int64_t tail = 4; // cells at either end, too steep for a straight line
  if ((bits >> 43) - tail < 0 || (bits >> 43) + tail >= 1024) [[unlikely]]
    return normal_quantile(u);
  return interpolated(normal_table, bits);
}

/// A number from the standard normal distribution cut off at -3 and 3; off by at most 0.02 near the
/// ends.
///
/// @range `0 <= u < 1`
inline double cut_off_normal_number(double u) {
  return interpolated(cut_off_table, static_cast<std::int64_t>(u * 0x1.0p53));
}

/// The variance of the standard normal distribution cut off at -3 and 3.
inline constexpr double cut_off_normal_variance = 0.9733369;

} // namespace detail

} // namespace backoff_actor
