#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace backoff_actor {

namespace {

struct Unit {
  std::uint64_t nanoseconds;
  std::string_view name;
};

// Returns the digits of `part / whole` after the point, without trailing zeros.
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

std::optional<Duration> parse_duration(std::string_view text) {
  constexpr std::array<Unit, 6> units{{{1, "ns"},
                                       {1'000, "us"},
                                       {1'000'000, "ms"},
                                       {1'000'000'000, "s"},
                                       {60'000'000'000, "min"},
                                       {3'600'000'000'000, "h"}}};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = text.substr(0, text.find_first_not_of("0123456789."));
  const auto name = text.substr(number.size());
  const auto* unit =
    std::find_if(units.begin(), units.end(), [&](const Unit& x) { return x.name == name; });
  if (unit == units.end() || number.empty() || !is_digit(number.front())
      || !is_digit(number.back()))
    return std::nullopt;
  const auto point = std::min(number.find('.'), number.size());
  std::uint64_t count = 0; // ns
  const auto add = [&](std::uint64_t digit, std::uint64_t weight) {
    const auto limit = static_cast<std::uint64_t>(Duration::max().count());
    if (digit != 0 && weight > (limit - count) / digit)
      return false;
    count += digit * weight;
    return true;
  };
  auto weight = unit->nanoseconds;
  for (auto i = point; i-- > 0;) {
    if (!add(static_cast<std::uint64_t>(number[i] - '0'), weight))
      return std::nullopt;
    weight = weight > UINT64_MAX / 10 ? UINT64_MAX : weight * 10;
  }
  weight = unit->nanoseconds;
  for (auto i = point + 1; i < number.size(); ++i) {
    weight = weight % 10 == 0 ? weight / 10 : 0;
    if (!is_digit(number[i]) || (number[i] != '0' && weight == 0)
        || !add(static_cast<std::uint64_t>(number[i] - '0'), weight))
      return std::nullopt;
  }
  return Duration{static_cast<std::int64_t>(count)};
}

std::string to_string(WallTime at) {
  using namespace std::chrono;
  // In whole seconds, for a day may begin before the first nanosecond that 64 bits can name.
  const auto second = floor<seconds>(sys_time<nanoseconds>{nanoseconds{at.since_epoch}});
  const auto day = floor<days>(second);
  const year_month_day date{day};
  const hh_mm_ss of_day{second - sys_time<seconds>{day}};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(of_day.hours().count()),
                static_cast<int>(of_day.minutes().count()),
                static_cast<int>(of_day.seconds().count()));
  return text;
}

} // namespace backoff_actor
