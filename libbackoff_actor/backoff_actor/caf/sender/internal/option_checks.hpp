#pragma once

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/actor_name.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace backoff_actor::detail {

// What does not fit into a signed number was a negative one.
constexpr std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();

inline void check_not_negative(Problems& problems, const char* field, Duration given) {
  if (given < Duration::zero())
    problems.add(field, to_string(given), "0ns or more");
}

inline void check_of_use(Problems& problems, const char* field, bool is_given, bool is_of_use,
                         const char* condition) {
  if (is_given && !is_of_use)
    problems.add(field, "a function", std::string{"nothing, unless "} + condition);
}

} // namespace backoff_actor::detail
