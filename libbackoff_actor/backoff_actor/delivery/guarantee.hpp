#pragma once

#include <cstdint>

namespace backoff_actor {

/// How often a message reaches a child.
enum class Guarantee : std::uint8_t {
  /// It is owed until it is acknowledged, and handed over again after a failure.
  at_least_once,
  /// It is passed on and forgotten: no acknowledgement is waited for, and what a child had when it
  /// failed is lost with it.
  at_most_once,
};

/// What becomes of a message that is to be delivered at most once and cannot be passed on now,
/// because no child is there, a delay runs, or the sender is paused.
enum class WhenDown : std::uint8_t {
  buffer, ///< it waits until it can
  divert, ///< the driver answers it, or passes it on to somebody else
  refuse, ///< it is not accepted
};

} // namespace backoff_actor
