#pragma once

#include <cstdint>

namespace backoff_actor {

/// What a supervisor does about the failure of a child, in the words of Akka.
///
/// A supervisor hears of a failure when the child is gone, and its state with it. So `resume` cannot
/// mean what it means in Akka, where the actor goes on with its state.
///
/// @source Akka's `SupervisorStrategy`
enum class Directive : std::uint8_t {
  /// As if nothing had happened: the child is made again at once, whatever the strategy; neither its
  /// backoff nor any limit counts it. A start that failed is restarted instead: it would spin.
  resume,
  /// What the restart type says, with backoff, and counted.
  restart,
  /// The child stays away until it is asked for; its siblings are left alone.
  stop,
  /// The supervisor ends its children and then itself, with the failure as its reason.
  escalate,
};

/// What becomes of a child that has used up its own limit of restarts.
enum class GivenUp : std::uint8_t {
  stop,     ///< it stays away until it is asked for; its siblings are left alone
  escalate, ///< the supervisor ends its children and then itself
};

} // namespace backoff_actor
