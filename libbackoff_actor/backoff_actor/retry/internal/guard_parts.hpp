#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/internal/guard_port.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <functional>
#include <memory>

namespace backoff_actor::detail {

/// Called when a guard was closed by hand. The callers that wait should come back spread over
/// `spread`. It must not block, and must not use the guard.
using GuardClosedHook = std::function<void(Duration spread)>;

/// What senders need of a guard, and programs do not.
///
/// @thread safe from any thread
struct BACKOFF_ACTOR_EXPORT GuardParts {
  /// Returns the guard as the port that an engine takes.
  static std::shared_ptr<GuardPort> port(const SharedGuard& guard);

  /// Calls `hook` whenever the guard is closed by hand, as long as the caller keeps the result.
  [[nodiscard]] static std::shared_ptr<const void> watch(const SharedGuard& guard,
                                                         GuardClosedHook hook);
};

} // namespace backoff_actor::detail
