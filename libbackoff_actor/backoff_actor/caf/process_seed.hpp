#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>

namespace backoff_actor::detail {

/// The seed of all draws of this process that were given none: those of two processes must not
/// march in step. The stream tells its actors apart.
///
/// @thread any
BACKOFF_ACTOR_EXPORT std::uint64_t seed_of_this_process();

} // namespace backoff_actor::detail
