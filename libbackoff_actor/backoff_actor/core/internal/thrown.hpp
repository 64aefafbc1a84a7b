#pragma once

#include "backoff_actor/core/export.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

/// Returns the thrown exception if a handler of `std::exception` would catch it, else null. The
/// exception lives as long as the object that `thrown` points to.
///
/// @range  `thrown` is not null
/// @source C++26, `std::exception_ptr_cast`; standard libraries already have the means for it
BACKOFF_ACTOR_EXPORT const std::exception* exception_in(const std::exception_ptr& thrown);

/// Returns the text of the thrown exception, or a text that says why there is none.
///
/// @range  `thrown` is not null
BACKOFF_ACTOR_EXPORT std::string thrown_text(const std::exception_ptr& thrown);

/// Returns the line for the error stream about a hook that threw an exception for the first time,
/// without a line end: `backoff_actor: sender 7: on_event threw: disk full; ...`.
BACKOFF_ACTOR_EXPORT std::string failed_hook_line(std::string_view whose, std::string_view text);

} // namespace backoff_actor::detail
