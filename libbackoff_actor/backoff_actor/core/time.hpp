#pragma once

#include "backoff_actor/core/export.hpp"

#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// A span of time.
///
/// @units nanoseconds
using Duration = std::chrono::nanoseconds;

/// A point on the time line of whoever drives the pure code: an actor's clock, a simulation, a
/// test. Only differences mean anything; the origin is the driver's.
///
/// @units nanoseconds since the driver's origin
struct Instant {
  /// The span since the driver's origin; negative before it.
  Duration since_origin{0};

  /// The last instant that there is, which stands for "at no time".
  static constexpr Instant never() { return {Duration::max()}; }

  /// Orders by time, the earlier first.
  friend constexpr auto operator<=>(const Instant&, const Instant&) = default;
};

/// Returns the instant `span` after `start`; where that cannot be represented, the furthest that
/// can.
constexpr Instant operator+(Instant start, Duration span) {
  const auto origin = start.since_origin;
  if (span > Duration::zero() && origin > Duration::max() - span)
    return {Duration::max()};
  if (span < Duration::zero() && origin < Duration::min() - span)
    return {Duration::min()};
  return {origin + span};
}

/// Returns the span from `earlier` to `later`; where that cannot be represented, the longest that
/// can.
constexpr Duration operator-(Instant later, Instant earlier) {
  const auto a = later.since_origin;
  const auto b = earlier.since_origin;
  if (b < Duration::zero() && a > Duration::max() + b)
    return Duration::max();
  if (b > Duration::zero() && a < Duration::min() + b)
    return Duration::min();
  return a - b;
}

/// Renders a span for people, exactly and in the largest unit that fits: `1.023s`, `10ms`, `1.5us`,
/// `-5ns`, and `2min` or `10h` where the span is a whole number of them.
BACKOFF_ACTOR_EXPORT std::string to_string(Duration span);

/// Reads a span as `to_string` writes it: a decimal number, directly followed by `ns`, `us`, `ms`,
/// `s`, `min` or `h`. Nothing if it is anything else, negative, has a digit that is no whole number of
/// nanoseconds, or is beyond 292 years.
BACKOFF_ACTOR_EXPORT std::optional<Duration> parse_duration(std::string_view text);

} // namespace backoff_actor
