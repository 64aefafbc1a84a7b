#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace backoff_actor::detail {

// Adds a problem if a span is outside its range.
inline void check_span(Problems& problems, std::string field, Duration given, Duration least,
                       Duration longest) {
  if (given < least || given > longest)
    problems.add(std::move(field), to_string(given),
                 to_string(least).append("..").append(to_string(longest)));
}

// Adds a problem if a timeout, a deadline or a window is so short that it must be a mistake, such
// as a number without its unit. Unset: nothing is wrong.
inline void check_time(Problems& problems, std::string field,
                       const std::optional<Duration>& given) {
  constexpr Duration shortest = std::chrono::microseconds{1};
  if (given && *given < shortest)
    problems.add(std::move(field), to_string(*given), to_string(shortest).append(" or more"));
}

} // namespace backoff_actor::detail
