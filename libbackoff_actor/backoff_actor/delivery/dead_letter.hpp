#pragma once

#include "backoff_actor/core/enum_names.hpp"

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

namespace detail {

/// The names are in the files of durable outboxes.
inline constexpr auto dead_letter_reasons = enum_names<DeadLetterReason>(
  {"rejected", "stopped", "attempts_exhausted", "expired", "dropped", "retry_after_too_long",
   "gave_up", "not_stored", "hand_overs_exhausted", "set_aside"});

} // namespace detail

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
constexpr std::string_view to_string(DeadLetterReason reason) {
  return detail::dead_letter_reasons.of(reason);
}

} // namespace backoff_actor
