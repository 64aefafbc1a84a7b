#pragma once

#include "backoff_actor/core/export.hpp"

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// A span of time.
///
/// @units nanoseconds
using Duration = std::chrono::nanoseconds;

/// A point in time. The driver of the pure code (an actor, a simulation or a test) chooses the
/// origin of its time line, so only differences have a meaning.
///
/// @units nanoseconds since the driver's origin
struct Instant {
  /// The span since the driver's origin; negative before it.
  Duration since_origin{0};

  /// The last possible instant, which means "never".
  static constexpr Instant never() { return {Duration::max()}; }

  /// Orders by time, the earlier first.
  friend constexpr auto operator<=>(const Instant&, const Instant&) = default;
};

/// Returns the instant `span` after `start`, limited to the range of `Duration`.
constexpr Instant operator+(Instant start, Duration span) {
  const auto origin = start.since_origin;
  if (span > Duration::zero() && origin > Duration::max() - span)
    return {Duration::max()};
  if (span < Duration::zero() && origin < Duration::min() - span)
    return {Duration::min()};
  return {origin + span};
}

/// Returns the span from `earlier` to `later`, limited to the range of `Duration`.
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
/// `-5ns`. A whole number of minutes or hours gives `2min` or `10h`.
BACKOFF_ACTOR_EXPORT std::string to_string(Duration span);

/// Reads a span as `to_string` writes it: a decimal number, directly followed by `ns`, `us`, `ms`,
/// `s`, `min` or `h`. Returns nothing for any other text, and for a span that is negative, longer
/// than 292 years, or not a whole number of nanoseconds.
BACKOFF_ACTOR_EXPORT std::optional<Duration> parse_duration(std::string_view text);

/// A point in wall-clock time.
///
/// @units nanoseconds since the beginning of 1970, UTC
struct WallTime {
  std::int64_t since_epoch = 0; ///< negative before it

  /// Orders by time, the earlier first.
  friend constexpr auto operator<=>(const WallTime&, const WallTime&) = default;
};

/// Renders a point in time as ISO 8601 in UTC, in whole seconds: `2023-11-14T22:13:20Z`.
BACKOFF_ACTOR_EXPORT std::string to_string(WallTime at);

} // namespace backoff_actor
