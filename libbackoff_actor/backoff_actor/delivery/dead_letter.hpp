#pragma once

#include <cstdint>
#include <string_view>

namespace backoff_actor {

/// Why a delivery left the outbox without an acknowledgement.
enum class DeadLetterReason : std::uint8_t {
  rejected,             ///< the child rejected it, or the decider judged its error final
  stopped,              ///< the sender was stopped while it owed the delivery
  attempts_exhausted,   ///< it failed `max_attempts` times
  expired,              ///< its deadline has passed
  dropped,              ///< the outbox was full, and its overflow rule chose this delivery
  retry_after_too_long, ///< the service asked for a retry later than `retry_after_ceiling` allows
  gave_up,              ///< a limit or the decider ended the sender
  not_stored,           ///< the durable outbox could not take it
  hand_overs_exhausted, ///< the process ended `max_hand_overs` times while a child had it
  set_aside,            ///< an operator took it out of a store by hand
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
constexpr std::string_view to_string(DeadLetterReason reason) {
  switch (reason) {
  case DeadLetterReason::rejected:
    return "rejected";
  case DeadLetterReason::stopped:
    return "stopped";
  case DeadLetterReason::attempts_exhausted:
    return "attempts_exhausted";
  case DeadLetterReason::expired:
    return "expired";
  case DeadLetterReason::dropped:
    return "dropped";
  case DeadLetterReason::retry_after_too_long:
    return "retry_after_too_long";
  case DeadLetterReason::gave_up:
    return "gave_up";
  case DeadLetterReason::not_stored:
    return "not_stored";
  case DeadLetterReason::hand_overs_exhausted:
    return "hand_overs_exhausted";
  case DeadLetterReason::set_aside:
    return "set_aside";
  }
  return "unknown";
}

} // namespace backoff_actor
