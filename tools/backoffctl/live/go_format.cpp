#include "go_format.hpp"

#include "backoff_actor/core/text/internal/number_text.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace backoffctl {

namespace {

constexpr std::uint64_t ns_per_us = 1'000;
constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t ns_per_s = 1'000'000'000;

// A number of units with its fraction, without zeros at the end: 2.5
std::string with_fraction(std::uint64_t count, std::uint64_t per_unit) {
  auto result = std::to_string(count / per_unit);
  if (count % per_unit == 0)
    return result;
  auto digits = std::to_string(per_unit + count % per_unit);
  digits.erase(digits.find_last_not_of('0') + 1);
  digits.front() = '.';
  return result.append(digits);
}

std::string of_a_second(std::uint64_t ns) {
  if (ns < ns_per_us)
    return std::to_string(ns) + "ns";
  if (ns < ns_per_ms)
    return with_fraction(ns, ns_per_us) + "µs";
  return with_fraction(ns, ns_per_ms) + "ms";
}

} // namespace

std::string go_duration(backoff_actor::Duration span) {
  if (span.count() == 0)
    return "0";
  std::string result = span.count() < 0 ? "-" : "";
  const auto count = static_cast<std::uint64_t>(span.count());
  const auto ns = span.count() < 0 ? 0 - count : count; // also of the least number
  if (ns < ns_per_s)
    return result.append(of_a_second(ns));
  const auto minutes = ns / ns_per_s / 60;
  if (minutes >= 60)
    result.append(std::to_string(minutes / 60)).append("h");
  if (minutes > 0)
    result.append(std::to_string(minutes % 60)).append("m");
  return result.append(with_fraction(ns - minutes * 60 * ns_per_s, ns_per_s)).append("s");
}

std::string go_stamp(std::chrono::system_clock::time_point time) {
  constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(time - seconds).count();
  const auto since_epoch = std::chrono::system_clock::to_time_t(seconds);
  std::tm local{};
  localtime_r(&since_epoch, &local);
  char text[64];
  std::snprintf(text, sizeof text, "%s %2d %02d:%02d:%02d.%03d",
                months[static_cast<std::size_t>(local.tm_mon)], local.tm_mday, local.tm_hour,
                local.tm_min, local.tm_sec, static_cast<int>(ms));
  return text;
}

std::string server_line(std::chrono::system_clock::time_point time, std::uint64_t concurrency,
                        backoff_actor::Duration last_delay) {
  char text[32];
  std::snprintf(text, sizeof text, "%4llu", static_cast<unsigned long long>(concurrency));
  return go_stamp(time) + ": concurrency: " + text + ", last delay: " + go_duration(last_delay);
}

std::string client_line(double ok, double errors, double timedout) {
  const auto rate = [](double value) {
    return backoff_actor::detail::number_text(value, std::chars_format::fixed, 2) + " req/sec";
  };
  return "OK: " + rate(ok) + ", errors: " + rate(errors) + ", timedout: " + rate(timedout);
}

} // namespace backoffctl
