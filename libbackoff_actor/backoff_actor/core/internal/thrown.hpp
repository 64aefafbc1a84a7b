#pragma once

#include "backoff_actor/core/export.hpp"

#include <exception>

namespace backoff_actor::detail {

/// Returns what was thrown, if a handler of `std::exception` would catch it, else null. It lives as long
/// as what `thrown` points to.
///
/// @range  `thrown` is not null
/// @source C++26, `std::exception_ptr_cast`, for which standard libraries have what it takes already
BACKOFF_ACTOR_EXPORT const std::exception* exception_in(const std::exception_ptr& thrown);

} // namespace backoff_actor::detail
