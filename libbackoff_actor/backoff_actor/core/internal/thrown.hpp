#pragma once

#include "backoff_actor/core/export.hpp"

#include <exception>

namespace backoff_actor::detail {

/// Returns the thrown exception if a handler of `std::exception` would catch it, else null. The
/// exception lives as long as the object that `thrown` points to.
///
/// @range  `thrown` is not null
/// @source C++26, `std::exception_ptr_cast`; standard libraries already have the means for it
BACKOFF_ACTOR_EXPORT const std::exception* exception_in(const std::exception_ptr& thrown);

} // namespace backoff_actor::detail
