#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The errors that a sender itself answers to a client. The numbers are part of the interface.
enum class SenderError : std::uint8_t {
  /// The outbox holds all that it can; the message was not accepted.
  outbox_full = 1,
  /// The sender was stopped before the delivery was acknowledged. Whether the child had done the
  /// work is not known.
  stopped = 2,
};

/// Renders an error as its name and a sentence for people; a number that is none of ours as
/// `unknown sender error`.
BACKOFF_ACTOR_EXPORT std::string to_string(SenderError error);

} // namespace backoff_actor
