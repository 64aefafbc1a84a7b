#pragma once

#include "backoff_actor/backoff/known/known_policies.hpp"
#include "backoff_actor/core/problems.hpp"

#include <string_view>

namespace backoff_actor::detail {

/// Finds the policy that a name, with perhaps a variant and a version, means. Adds a problem and
/// returns nothing if there is none.
const KnownPolicy* find_known(std::string_view name, Problems& problems);

} // namespace backoff_actor::detail
