#pragma once

#include "backoff_actor/backoff/known/known_policies.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <string>
#include <string_view>

namespace backoff_actor {

/// How another system waits, as a policy and limits of this library.
struct Like {
  KnownPolicy known; ///< its name, its version, and what surprises
  Policy policy;     ///< its delays
  Limits limits;     ///< its attempts as `max_attempts`; all else by our defaults

  /// Is taken wherever a policy is.
  operator const Policy&() const { return policy; } // implicit on purpose
};

/// Returns how a system waits: `like("celery")`, `like("tenacity exponential")`,
/// `like("sidekiq 6.4")`.
///
/// The name comes first, then the variant if there are several, then the version or its beginning.
/// A name without a variant means the first of `known_policies`; without a version, the newest that
/// was run. A text has the same: `parse_policy("like celery")`.
///
/// @errors throws `InvalidArgument` for a name, variant or version that is not known, and says
///         which are.
BACKOFF_ACTOR_EXPORT Like like(std::string_view name);

/// Renders the policy and the limits:
/// `exponential(50ms, x2, cap 20s) | full_jitter; max_attempts 3, retry_after up to 5min`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Like& like);

} // namespace backoff_actor
