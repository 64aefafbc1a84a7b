#include "flag_values.hpp"

#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"
#include "backoff_actor/lab/internal/tuning.hpp"

#include <charconv>
#include <system_error>

namespace backoffctl {

namespace {

using backoff_actor::detail::span_advice;

bool is_within(double value, double from, double to) { return value >= from && value <= to; }

// Nothing if the text is not a number from its beginning to its end.
template <class T>
std::optional<T> parsed(const std::string& text) {
  T value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional{value} : std::nullopt;
}

} // namespace

std::string indented(const std::string& text) {
  std::string result;
  for (const auto c : text)
    result += c == '\n' ? "\n    " : std::string(1, c);
  return result;
}

std::string quoted(const std::string& given) {
  return given.empty()
           ? "nothing"
           : std::string{"'"}.append(backoff_actor::detail::one_line(given)).append("'");
}

std::optional<double> read_span_s(const std::string& flag, const std::string& given,
                                  double shortest_s, backoff_actor::Problems& problems) {
  const auto value = backoff_actor::parse_duration(given);
  if (value && is_within(seconds_of(*value), shortest_s, backoff_actor::tuning_longest_s))
    return seconds_of(*value);
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
  const auto value = parsed<double>(given);
  if (value && is_within(*value, from, to))
    return value;
  problems.add(flag, quoted(given),
               "a number such as 1.1, " + shortest(from) + ".." + shortest(to));
  return std::nullopt;
}

std::optional<std::uint64_t> read_whole(const std::string& flag, const std::string& given,
                                        std::uint64_t from, std::uint64_t to,
                                        backoff_actor::Problems& problems) {
  const auto value = parsed<std::uint64_t>(given);
  if (value && *value >= from && *value <= to)
    return value;
  problems.add(flag, quoted(given),
               "a whole number, " + std::to_string(from) + ".." + std::to_string(to));
  return std::nullopt;
}

} // namespace backoffctl
