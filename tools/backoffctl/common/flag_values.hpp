#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace backoffctl {

/// Renders what was given for a flag, for a complaint: `'1 parsec'`, or `nothing`.
std::string quoted(const std::string& given);

/// Reads a span such as `1s`, `500ms`, `1.5us`, `2min` or `10h`; nothing, and a problem, if that is
/// something else or out of range.
///
/// @units seconds
/// @range `shortest_s`, which may be 0, to `tuning_longest_s`
std::optional<double> read_span_s(const std::string& flag, const std::string& given,
                                  double shortest_s, backoff_actor::Problems& problems);

/// Reads a span such as `1s`, `500ms`, `1.5us`, `2min` or `10h`, exactly; nothing, and a problem,
/// if that is something else or out of range.
std::optional<backoff_actor::Duration>
read_duration(const std::string& flag, const std::string& given, backoff_actor::Duration from,
              backoff_actor::Duration to, backoff_actor::Problems& problems);

/// Reads a number such as `2`, `1.1` or `1e-3`; nothing, and a problem, if that is something else
/// or out of range.
std::optional<double> read_number(const std::string& flag, const std::string& given, double from,
                                  double to, backoff_actor::Problems& problems);

/// Reads a whole number, of digits alone; nothing, and a problem, if that is something else or out
/// of range.
std::optional<std::uint64_t> read_whole(const std::string& flag, const std::string& given,
                                        std::uint64_t from, std::uint64_t to,
                                        backoff_actor::Problems& problems);

} // namespace backoffctl
