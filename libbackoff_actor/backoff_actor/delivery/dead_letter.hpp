#pragma once

#include <string_view>

namespace backoff_actor {

/// Why a delivery left the outbox without an acknowledgement.
enum class DeadLetterReason {
  rejected, ///< the child answered with an error, and the decider took that for final
  stopped,  ///< the sender was stopped while it owed the delivery
};

/// Returns the enumerator's name; `unknown` for a number that is none.
constexpr std::string_view to_string(DeadLetterReason reason) {
  switch (reason) {
  case DeadLetterReason::rejected:
    return "rejected";
  case DeadLetterReason::stopped:
    return "stopped";
  }
  return "unknown";
}

} // namespace backoff_actor
