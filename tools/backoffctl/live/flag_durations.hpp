#pragma once

#include "backoff_actor/core/time.hpp"

namespace backoffctl {

/// The longest that anything of a live experiment may last.
inline constexpr backoff_actor::Duration longest_live = std::chrono::hours{24};

} // namespace backoffctl
