#include "backoff_actor/core/normal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

// Compiled without contraction to fused multiply-add: platforms that have it would round
// differently.

namespace backoff_actor {

namespace {

// The natural logarithm for 0 < x <= 1, off by at most 1e-12: the C library's differ.
constexpr double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>(bits >> 52) - 1023;
  auto mantissa =
    std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffffULL) | 0x3ff0'0000'0000'0000ULL);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  const auto t = (mantissa - 1) / (mantissa + 1);
  const auto s = t * t;
  const auto series =
    1 + s * (1.0 / 3 + s * (1.0 / 5 + s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11 + s / 13)))));
  return 2 * t * series + exponent * 0.6931471805599453;
}

constexpr double root_of(double x) {
  if (!std::is_constant_evaluated())
    return std::sqrt(x);
  auto root = x > 1 ? x : 1.0;
  for (auto i = 0; i < 64; ++i)
    root = (root + x / root) / 2;
  return root;
}

constexpr double central(double q) {
  const auto r = 0.180625 - q * q;
  return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179)
         / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
}

// Returns the distance from the centre beyond which `p` of the mass lies.
constexpr double tail(double p) {
  auto r = root_of(-log_of(p));
  if (r <= 5) {
    r -= 1.6;
    return (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777)
           / ((0.12021132975 * r + 0.73700164250) * r + 1);
  }
  r -= 5;
  return (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150)
         / ((0.012258202635 * r + 0.24197894225) * r + 1);
}

constexpr double quantile(double p) {
  const auto q = p - 0.5;
  if (q >= -0.425 && q <= 0.425)
    return central(q);
  constexpr auto least = 0x1.0p-54;
  return q < 0 ? -tail(std::max(p, least)) : tail(std::max(1 - p, least));
}

// Returns the quantiles of the distribution cut off at both ends, where `below` is the mass that is
// cut off at each end.
constexpr detail::QuantileTable table_of(double below) {
  detail::QuantileTable table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto z = quantile(below + static_cast<double>(i) / 1024 * (1 - 2 * below));
    table[i] = static_cast<std::int32_t>(std::clamp(z, -4.0, 4.0) * 0x1.0p28);
  }
  return table;
}

} // namespace

double normal_quantile(double p) { return quantile(p); }

namespace detail {

constinit const QuantileTable normal_table = table_of(0);

constexpr auto beyond_3 = 0.0013498980316300946; // the mass beyond 3, on either side
constinit const QuantileTable cut_off_table = table_of(beyond_3);

} // namespace detail

} // namespace backoff_actor
