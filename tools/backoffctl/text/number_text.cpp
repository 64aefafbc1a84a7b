#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/text/internal/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace backoffctl {

std::string shortest(double value) { return backoff_actor::detail::number_text(value); }

std::string fixed(double value, int decimals) {
  return backoff_actor::detail::number_text(value, std::chars_format::fixed, decimals);
}

std::string rounded(double value, int digits) {
  const auto before_point = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
  auto result = fixed(value, std::max(0, digits - before_point));
  if (result.find('.') == std::string::npos)
    return result;
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.')
    result.pop_back();
  return result;
}

std::string span_text(double span_s) {
  constexpr auto digits = 4;
  constexpr auto half_digit = 5e-5; // of 1: 0.99995 s is 1 s, not 1000 ms
  constexpr auto least_s = 5e-13;
  if (span_s < least_s)
    return "0 s";
  const auto unit =
    std::find_if(time_units.rbegin(), time_units.rend() - 1, [&](const auto& candidate) {
      return span_s >= candidate.from_s * (1 - half_digit);
    });
  constexpr auto halves_go_up = 1 + 1e-12; // also those that a computation has a bit too short
  return rounded(span_s / unit->length_s * halves_go_up, digits) + " " + unit->name;
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

} // namespace backoffctl
