#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace backoff_actor {

/// Why a delivery left the outbox without an acknowledgement.
enum class DeadLetterReason : std::uint8_t {
  rejected,             ///< the child rejected it, or the decider judged its error final
  stopped,              ///< the sender was stopped while it owed the delivery
  attempts_exhausted,   ///< it failed `max_attempts` times
  expired,              ///< its deadline has passed
  dropped,              ///< the outbox was full, and its overflow rule chose this delivery
  retry_after_too_long, ///< the service asked for a longer wait than `retry_after` allows
  gave_up,              ///< a limit or the decider ended the sender
  not_stored,           ///< the durable outbox could not take it
  hand_overs_exhausted, ///< the process ended `max_hand_overs` times while a child had it
  set_aside,            ///< an operator took it out of a store by hand
  unreadable,           ///< another program handed it over, and no decoder could read it
  cancelled,            ///< somebody cancelled it, and asked for a dead letter, see `Cancel`
};

namespace detail {

/// Returns the reason that has this name; nothing if none has. The names are in the files of
/// durable outboxes.
BACKOFF_ACTOR_EXPORT std::optional<DeadLetterReason> dead_letter_reason(std::string_view name);

} // namespace detail

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(DeadLetterReason reason);

} // namespace backoff_actor
