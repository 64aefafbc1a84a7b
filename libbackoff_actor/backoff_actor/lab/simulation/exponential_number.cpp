#include "backoff_actor/lab/simulation/internal/exponential_number.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace backoff_actor {

namespace {

// ln x = e ln 2 + 2 (s + s^3/3 + s^5/5 + ...), where x = m 2^e, 0.7 < m < 1.42 and
// s = (m - 1) / (m + 1). s^2 is below 0.0297, so ten terms are exact to the last bit.
double logarithm(double x) {
  constexpr std::uint64_t bits_of_half_root = 0x3fe6'a09e'667f'3bcd; // of the square root of 1/2
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto distance = static_cast<std::int64_t>(bits - bits_of_half_root);
  const auto exponent = distance >> 52;
  const auto m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const auto s = (m - 1) / (m + 1);
  const auto z = s * s;
  double sum = 0;
  for (const auto term : {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                          1.0 / 7, 1.0 / 5, 1.0 / 3})
    sum = (sum + term) * z;
  constexpr auto ln_2 = 0.693'147'180'559'945'309'417;
  return static_cast<double>(exponent) * ln_2 + 2 * (s + s * sum);
}

} // namespace

double exponential_number(double u) { return -logarithm(1 - u); }

} // namespace backoff_actor
