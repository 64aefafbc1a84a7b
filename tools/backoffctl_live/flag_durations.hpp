#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <optional>
#include <string>

namespace backoffctl {

/// The longest that anything of a live experiment may last.
inline constexpr backoff_actor::Duration longest_live = std::chrono::hours{24};

/// Reads a span such as `100ms`; nothing, and a problem, if that is something else or out of range.
///
/// @range `shortest` to `longest_live`
std::optional<backoff_actor::Duration> read_duration(const std::string& flag,
                                                     const std::string& given,
                                                     backoff_actor::Duration shortest,
                                                     backoff_actor::Problems& problems);

} // namespace backoffctl
