#include "number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace backoffctl {

namespace {

// A double has at most 309 digits before the point.
using Buffer = std::array<char, 400>;

} // namespace

std::string shortest(double value) {
  Buffer buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string fixed(double value, int decimals) {
  Buffer buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::fixed, decimals)
                           .ptr};
}

std::string rounded(double value) {
  constexpr auto digits = 10;
  const auto before_point = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
  auto result = fixed(value, std::max(0, digits - before_point));
  if (result.find('.') == std::string::npos)
    return result;
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.')
    result.pop_back();
  return result;
}

} // namespace backoffctl
