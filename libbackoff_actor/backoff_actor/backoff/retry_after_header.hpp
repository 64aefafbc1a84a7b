#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace backoff_actor {

/// What `parse_retry_after` makes of a date that is not after `now`. Clients differ: most come back
/// at once, some wait as if there were no header.
enum class PastDate : std::uint8_t {
  is_zero,   ///< a span of 0
  is_absent, ///< nothing, as if there were no header
};

/// Reads the value of the HTTP header `Retry-After`: how long, from now, the server asks clients to
/// wait. It reads both forms: a number of seconds (`120`), and a date in any of the three formats
/// that a recipient must accept:
///
///     Fri, 31 Dec 1999 23:59:59 GMT    IMF-fixdate, the one in use
///     Friday, 31-Dec-99 23:59:59 GMT   RFC 850
///     Fri Dec 31 23:59:59 1999         asctime, in UTC
///
/// `now` is the system's clock, rounded down with `std::chrono::floor<std::chrono::seconds>`. Then
/// the span ends no earlier than the date and at most a second later. The date is on the server's
/// clock; a difference between the two clocks changes the span by as much.
///
/// @shape  `(header, now, past) -> span`; pure and total. Blanks around the value are ignored. The
///         name of the weekday need not fit the date. A two-digit year is the latest year that is
///         not more than 50 years after `now`.
/// @units  nanoseconds in the result
/// @range  0 and above; for a date that is not after `now` as `past` says; `Duration::max()`, which
///         is 292 years, for any longer span. Nothing if the value has none of the forms, or the
///         date does not exist.
/// @thread safe from any thread.
/// @source RFC 9110, "Retry-After" (10.2.3) and "Date/Time Formats" (5.6.7).
BACKOFF_ACTOR_EXPORT std::optional<Duration> parse_retry_after(std::string_view header,
                                                               std::chrono::sys_seconds now,
                                                               PastDate past = PastDate::is_zero);

} // namespace backoff_actor
