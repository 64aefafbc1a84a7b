#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// How a message says when its time comes. Where it waits: hand_over_order.hpp.

/// Returns the time before which no child may get a message that comes at `now`, see
/// `Submit::delay` and `Submit::not_before`; nothing if it does not wait.
///
/// @errors throws `InvalidArgument` with all that is wrong
BACKOFF_ACTOR_EXPORT std::optional<WallTime> time_to_begin(Duration delay, WallTime not_before,
                                                           WallTime now);

/// Adds the line to a message's context that says when its time comes:
/// `not_before: 1796000000000000000`, in nanoseconds since 1970.
BACKOFF_ACTOR_EXPORT void add_not_before(std::string& context, WallTime at);

/// Returns what the line `not_before: ...` of a context says; nothing if there is none.
///
/// @errors throws `std::invalid_argument` if it is no number of nanoseconds
BACKOFF_ACTOR_EXPORT std::optional<WallTime> not_before_in(std::string_view context);

} // namespace backoff_actor::detail
