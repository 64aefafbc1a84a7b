#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"

#include <cstdint>
#include <variant>

namespace backoff_actor {

/// What the driver of a sender's engine tells it. Inputs that come too late, twice, or about an
/// incarnation that is gone are known as such and change nothing.
namespace input {

/// Begin: start the first child.
struct Start {};

/// A message is to be delivered.
struct Submit {};

/// The store has taken the delivery in `slot`.
struct Persisted {
  std::uint32_t slot;     ///< as `effect::Persist` had it
  std::uint64_t delivery; ///< as `effect::Persist` had it
};

/// The child that `effect::StartChild` asked for is there.
struct ChildStarted {
  std::uint32_t incarnation; ///< as `effect::StartChild` had it
};

/// The child that `effect::StartChild` asked for could not be made.
struct StartFailed {
  std::uint32_t incarnation; ///< as `effect::StartChild` had it
  Cause cause;               ///< why; counts as an error whatever its code
};

/// The child terminated; without an error it stopped normally.
struct ChildDown {
  std::uint32_t incarnation; ///< which one
  Cause cause;               ///< the exit reason
};

/// A delivery was confirmed.
struct Acknowledged {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
};

/// An error came back for a hand-over, from the child or from the messaging layer in its stead.
struct ErrorAnswer {
  HandOverId hand_over; ///< as `effect::HandOver` named it; any other value is harmless
  Cause cause;          ///< compared with that of a crash
  /// The messaging layer's word that nobody answered: the receiver was gone or forgot the request.
  bool is_bounce;
  /// Whether it is sure already that this is no crash of the child, so that nothing needs to be
  /// waited for.
  bool is_settled;
};

/// The child answered a probe, and so was alive after all that it said before.
struct ChildAlive {
  std::uint32_t incarnation; ///< as `effect::Probe` had it
  std::uint32_t probe;       ///< as `effect::Probe` had it
};

/// Look at the clock. Harmless at any time.
struct Wake {};

/// End: give up what is owed, stop the child.
struct Stop {};

} // namespace input

/// Any of the inputs; what `SenderEngine::step` takes.
using Input = std::variant<input::Start, input::Submit, input::Persisted, input::ChildStarted,
                           input::StartFailed, input::ChildDown, input::Acknowledged,
                           input::ErrorAnswer, input::ChildAlive, input::Wake, input::Stop>;

} // namespace backoff_actor
