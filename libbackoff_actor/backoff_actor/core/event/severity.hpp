#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string_view>

namespace backoff_actor {

/// How much attention an event needs. A log that keeps `info` and above is silent while nothing
/// fails, no guard holds anything back, and nothing is added, stopped or commanded.
enum class Severity : std::uint8_t {
  debug,   ///< ordinary work: happens for each message, or for each worker that comes and goes
  info,    ///< a change that is expected or good: a command, a recovery, a wait for a guard
  warning, ///< a failure that the library handles: a crash, a timeout, a refusal, a retry
  error,   ///< a loss, or the end of what the library does alone: somebody should look
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Severity severity);

} // namespace backoff_actor
