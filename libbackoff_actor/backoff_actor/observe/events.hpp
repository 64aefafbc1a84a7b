#pragma once

#include "backoff_actor/backoff/exponential_back_off.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace backoff_actor {

/// What happened in a sender, as plain values. `at` is on the time line of the sender's driver.
namespace event {

/// A message became a delivery.
struct Accepted {
  Instant at;
  std::uint64_t delivery;
};

/// The child was recreated (or created: incarnation 1).
struct ChildStarted {
  Instant at;
  std::uint32_t incarnation;
};

/// No child came into being.
struct StartFailed {
  Instant at;
  std::uint32_t incarnation;
  Cause cause;
};

/// The child terminated.
struct ChildDown {
  Instant at;
  std::uint32_t incarnation;
  Cause cause;
  bool is_failure; ///< false: it stopped normally and owed nothing
};

/// A failure was answered by a delay.
struct RetryScheduled {
  Instant at;
  Duration delay; ///< what the backoff said
  Instant due;    ///< when the delay ends; later than `at + delay` if a longer one was running
  ExponentialBackOff backoff; ///< after the step
};

/// The delay ended; what is owed is handed over again.
struct DelayEnded {
  Instant at;
};

/// A delivery was given to the child.
struct HandedOver {
  Instant at;
  std::uint64_t delivery;
  std::uint32_t incarnation;
  bool again; ///< an earlier incarnation had it already
};

/// The child confirmed a delivery; its client has the answer.
struct Acknowledged {
  Instant at;
  std::uint64_t delivery;
  std::uint32_t incarnation; ///< of the last hand-over
  std::uint32_t attempts;    ///< failed ones before this
  Duration latency;          ///< since the submission
};

/// An acknowledgement named no delivery that is owed: a late, a repeated or a forged one.
struct UnknownAcknowledgement {
  Instant at;
  std::uint64_t hand_over;
};

/// An acknowledgement reset a backoff that had started.
struct BackOffReset {
  Instant at;
  ExponentialBackOff backoff; ///< after the reset
};

/// A delivery left without an acknowledgement.
struct DeadLettered {
  Instant at;
  std::uint64_t delivery;
  DeadLetterReason reason;
  std::uint32_t attempts;
  Cause cause; ///< rejected: the child's error; stopped: the sender's last failure, if any
};

/// The sender ended. Nothing comes after it.
struct SenderStopped {
  Instant at;
};

} // namespace event

using Event = std::variant<event::Accepted, event::ChildStarted, event::StartFailed,
                           event::ChildDown, event::RetryScheduled, event::DelayEnded,
                           event::HandedOver, event::Acknowledged, event::UnknownAcknowledgement,
                           event::BackOffReset, event::DeadLettered, event::SenderStopped>;

/// The one hook. It runs in the sender's thread, when the decision is made and before it is carried
/// out. It must not block; what it throws is dropped. Without a hook no event is made.
using EventHook = std::function<void(const Event&)>;

namespace event { // of the events' types, so that unqualified calls find them

/// When the event happened.
BACKOFF_ACTOR_EXPORT Instant time_of(const Event& event);

/// Renders an event in one line, without its time: `child 3 down: Danger, High Voltage!`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Event& event);

} // namespace event

using event::time_of;
using event::to_string;

} // namespace backoff_actor
