#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace backoff_actor::detail {

/// Returns all that is wrong with the arguments of `every`.
Problems check_every(Duration period, Duration offset);

/// Reads a time of day such as `02:30`; nothing, and a problem of `time`, if it is none.
std::optional<std::chrono::minutes> read_time_of_day(std::string_view text, Problems& problems);

} // namespace backoff_actor::detail
