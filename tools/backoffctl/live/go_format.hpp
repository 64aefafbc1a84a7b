#pragma once

#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace backoffctl {

/// Renders a span as Go does: `100ms`, `2.671444385s`, `2m8.580906589s`; zero is `0`, as in the Go
/// of 2013.
std::string go_duration(backoff_actor::Duration span);

/// Renders a time of day, in local time, as Go's `StampMilli`: `Jun 21 13:31:18.708`.
std::string go_stamp(std::chrono::system_clock::time_point time);

/// The line that the server prints every second:
/// `Jun 21 13:31:18.708: concurrency:   10, last delay: 100ms`.
std::string server_line(std::chrono::system_clock::time_point time, std::uint64_t concurrency,
                        backoff_actor::Duration last_delay);

/// The line that the clients print every five seconds:
/// `OK: 98.00 req/sec, errors: 0.00 req/sec, timedout: 0.00 req/sec`.
///
/// @units per second
std::string client_line(double ok, double errors, double timedout);

} // namespace backoffctl
