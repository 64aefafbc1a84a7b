#include "backoff_actor/core/time.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace backoff_actor {

namespace {

struct Unit {
  std::uint64_t nanoseconds;
  std::string_view name;
};

// Digits of `part / whole` behind the point, without trailing zeros.
std::string decimals(std::uint64_t part, std::uint64_t whole) {
  std::string result;
  while (part != 0) {
    part *= 10;
    result += static_cast<char>('0' + part / whole);
    part %= whole;
  }
  return result.empty() ? result : "." + result;
}

} // namespace

std::string to_string(Duration span) {
  const auto count = span.count();
  const std::string sign = count < 0 ? "-" : "";
  // Negating in unsigned arithmetic keeps the most negative span defined.
  const auto size =
    count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  constexpr std::array<Unit, 2> whole_only{{{3'600'000'000'000, "h"}, {60'000'000'000, "min"}}};
  for (const auto& unit : whole_only)
    if (size != 0 && size % unit.nanoseconds == 0)
      return sign + std::to_string(size / unit.nanoseconds) + std::string{unit.name};
  constexpr std::array<Unit, 3> decimal{{{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}}};
  for (const auto& unit : decimal)
    if (size >= unit.nanoseconds)
      return sign + std::to_string(size / unit.nanoseconds)
             + decimals(size % unit.nanoseconds, unit.nanoseconds) + std::string{unit.name};
  return sign + std::to_string(size) + "ns";
}

} // namespace backoff_actor
