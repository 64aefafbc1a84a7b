#pragma once

#include <cstdint>

namespace backoff_actor {

/// What a supervisor does about the failure of a child, in the words of Akka.
///
/// When a supervisor learns of a failure, the child and its state are already gone. So `resume`
/// cannot mean what it means in Akka, where the actor keeps its state.
///
/// @source Akka's `SupervisorStrategy`
enum class Directive : std::uint8_t {
  /// Recreate the child at once, whatever the strategy. Neither its backoff nor any limit counts
  /// the failure. A failed start is treated as `restart` instead: retrying it at once would spin.
  resume,
  /// Do what the restart type says, with backoff, and count the failure.
  restart,
  /// Keep the child stopped until somebody asks for it. Its siblings are left alone.
  stop,
  /// The supervisor ends its children and then itself, with the failure as its reason.
  escalate,
};

/// What happens when a child has used up its own limit of restarts.
enum class GivenUp : std::uint8_t {
  stop,     ///< it stays stopped until somebody asks for it; its siblings are left alone
  escalate, ///< the supervisor ends its children and then itself
};

} // namespace backoff_actor
