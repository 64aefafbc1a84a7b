#include "flag_values.hpp"

#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"
#include "backoff_actor/lab/internal/tuning.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

namespace backoffctl {

namespace {

using backoff_actor::detail::span_advice;

// A value is `number * times / per`, so that a span such as 100ms is the double next to 0.1.
struct Unit {
  std::string_view name;
  double times;
  double per;
};

constexpr std::array<Unit, 6> units{
  {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1, 1}, {"min", 60, 1}, {"h", 3600, 1}}};

// Takes the number at the beginning of the text; what follows it is left.
std::optional<double> take_number(std::string_view& text, std::chars_format format) {
  double value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, format);
  if (error != std::errc{})
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

std::optional<double> span_s(std::string_view text) {
  const auto number = take_number(text, std::chars_format::fixed);
  if (!number)
    return std::nullopt;
  for (const auto& unit : units)
    if (text == unit.name)
      return *number * unit.times / unit.per + 0.0; // no -0
  return std::nullopt;
}

bool is_within(double value, double from, double to) { return value >= from && value <= to; }

} // namespace

std::string quoted(const std::string& given) {
  return given.empty()
           ? "nothing"
           : std::string{"'"}.append(backoff_actor::detail::one_line(given)).append("'");
}

std::optional<double> read_span_s(const std::string& flag, const std::string& given,
                                  double shortest_s, backoff_actor::Problems& problems) {
  const auto value = span_s(given);
  if (value && is_within(*value, shortest_s, backoff_actor::tuning_longest_s))
    return value;
  problems.add(flag, quoted(given),
               std::string{"a span such as 100ms, 1.5s or 2min, "}
                 + (shortest_s > 0 ? "more than 0 (1ns..2500000h)" : "0s..2500000h")
                 + span_advice(given));
  return std::nullopt;
}

std::optional<backoff_actor::Duration>
read_duration(const std::string& flag, const std::string& given, backoff_actor::Duration from,
              backoff_actor::Duration to, backoff_actor::Problems& problems) {
  const auto value = backoff_actor::parse_duration(given);
  if (value && *value >= from && *value <= to)
    return value;
  problems.add(flag, quoted(given),
               "a span such as 100ms, 1.5s or 2min, " + backoff_actor::to_string(from) + ".."
                 + backoff_actor::to_string(to) + span_advice(given));
  return std::nullopt;
}

std::optional<double> read_number(const std::string& flag, const std::string& given, double from,
                                  double to, backoff_actor::Problems& problems) {
  std::string_view rest = given;
  const auto value = take_number(rest, std::chars_format::general);
  if (value && rest.empty() && is_within(*value, from, to))
    return value;
  problems.add(flag, quoted(given),
               "a number such as 1.1, " + shortest(from) + ".." + shortest(to));
  return std::nullopt;
}

std::optional<std::uint64_t> read_whole(const std::string& flag, const std::string& given,
                                        std::uint64_t from, std::uint64_t to,
                                        backoff_actor::Problems& problems) {
  std::uint64_t value = 0;
  const auto end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, value);
  if (error == std::errc{} && stop == end && value >= from && value <= to)
    return value;
  problems.add(flag, quoted(given),
               "a whole number, " + std::to_string(from) + ".." + std::to_string(to));
  return std::nullopt;
}

} // namespace backoffctl
