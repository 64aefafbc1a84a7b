#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

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

} // namespace backoff_actor::detail
