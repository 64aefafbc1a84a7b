#include "backoff_actor/backoff/internal/text.hpp"

#include "backoff_actor/core/text/internal/number_text.hpp"
#include "backoff_actor/core/time.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace backoff_actor::detail {

std::string decimal(double number) { return number_text(number, std::chars_format::fixed); }

std::string percent(double part) {
  if (!std::isfinite(part) || part == 0)
    return decimal(part) + "%";
  // Takes the digits of `part` itself, because 100 * 0.29 is not exactly 29.
  auto text = number_text(part, std::chars_format::scientific);
  const std::string sign = part < 0 ? "-" : "";
  text.erase(0, sign.size());
  const auto e = text.find('e');
  const auto power = std::atoi(text.c_str() + e + 1) + 2;
  auto digits = text.substr(0, e);
  if (digits.size() > 1)
    digits.erase(1, 1); // the point
  const auto before_point = power + 1;
  if (before_point <= 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-before_point), '0') + digits + "%";
  const auto size = static_cast<std::size_t>(before_point);
  if (digits.size() <= size)
    return sign + digits + std::string(size - digits.size(), '0') + "%";
  return sign + digits.substr(0, size) + "." + digits.substr(size) + "%";
}

std::string span_of(double nanoseconds) {
  constexpr auto limit = 9.2e18;
  if (!(nanoseconds > -limit && nanoseconds < limit))
    return decimal(nanoseconds) + "ns";
  return to_string(Duration{static_cast<std::int64_t>(nanoseconds)});
}

} // namespace backoff_actor::detail
