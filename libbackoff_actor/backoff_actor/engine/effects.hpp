#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace backoff_actor {

/// Why a submission was not accepted.
enum class Refusal {
  outbox_full, ///< the outbox holds all that it can
  stopped,     ///< the sender has ended
};

/// What a sender's engine asks its driver to do, in this order. Each is one line to carry out.
namespace effect {

/// The submission was accepted as the delivery in `slot`: keep its payload and client there.
struct Accept {
  std::uint32_t slot;
  std::uint64_t delivery;
};

/// The submission was not accepted: tell its client.
struct Refuse {
  Refusal reason;
};

/// Store the delivery in `slot`, then answer with `input::Persisted`.
struct Persist {
  std::uint32_t slot;
  std::uint64_t delivery;
};

/// Make a child, then answer with `input::ChildStarted` or `input::StartFailed`.
struct StartChild {
  std::uint32_t incarnation;
};

/// End this child; it will not be heard again.
struct StopChild {
  std::uint32_t incarnation;
};

/// Give the delivery in `slot` to the child.
struct HandOver {
  std::uint32_t slot;
  HandOverId hand_over;
};

/// Ask the child for a sign of life, to be answered with `input::ChildAlive`.
struct Probe {
  std::uint32_t incarnation;
  std::uint32_t probe;
};

/// Keep the error that just came for the delivery in `slot`: it may turn out to be the answer.
struct HoldAnswer {
  std::uint32_t slot;
};

/// The delivery in `slot` is done: give its client the answer that just came, and forget the slot.
struct Acknowledge {
  std::uint32_t slot;
};

/// The delivery in `slot` is given up: tell its client, if `rejected` with the error held or just
/// come, and forget the slot.
struct DeadLetter {
  std::uint32_t slot;
  DeadLetterReason reason;
};

/// Give an `input::Wake` at `at`, or soon if that has passed. Takes the place of an earlier
/// request.
struct WakeAt {
  Instant at;
};

} // namespace effect

using Effect = std::variant<effect::Accept, effect::Refuse, effect::Persist, effect::StartChild,
                            effect::StopChild, effect::HandOver, effect::Probe, effect::HoldAnswer,
                            effect::Acknowledge, effect::DeadLetter, effect::WakeAt>;

/// A step appends to it; the driver empties it and uses it again, so that no step needs to
/// allocate.
using Effects = std::vector<Effect>;

} // namespace backoff_actor
