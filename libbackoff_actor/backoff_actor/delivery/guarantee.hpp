#pragma once

#include <cstdint>

namespace backoff_actor {

/// How often a message reaches a child.
enum class Guarantee : std::uint8_t {
  /// The message is owed until the child acknowledges it. After a failure the sender redelivers it.
  at_least_once,
  /// The sender forwards the message and forgets it: it waits for no acknowledgement. When a child
  /// fails, the messages that it had are lost.
  at_most_once,
};

/// What happens to an at-most-once message that the sender cannot forward now, because no child is
/// there, a delay runs, or the sender is paused.
enum class WhenDown : std::uint8_t {
  buffer, ///< it waits until it can
  divert, ///< the driver answers it, or passes it on to another actor
  refuse, ///< it is not accepted
};

} // namespace backoff_actor
