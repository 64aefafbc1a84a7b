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
  Instant at;             ///< of the submission
  std::uint64_t delivery; ///< counts the deliveries of this sender from 1
};

/// The child was recreated (or created: incarnation 1).
struct ChildStarted {
  Instant at;                ///< when the child was there
  std::uint32_t incarnation; ///< which child, counted from 1
};

/// No child came into being.
struct StartFailed {
  Instant at;                ///< when that was known
  std::uint32_t incarnation; ///< which child it would have been
  Cause cause;               ///< what the factory threw, or that it returned no actor
};

/// The child terminated.
struct ChildDown {
  Instant at;                ///< when the sender was told
  std::uint32_t incarnation; ///< which child, counted from 1
  Cause cause;               ///< the exit reason; no error after a normal stop
  bool is_failure;           ///< false: it stopped normally and owed nothing
};

/// A failure was answered by a delay.
struct RetryScheduled {
  Instant at;     ///< of the failure, where the delay begins
  Duration delay; ///< what the backoff said
  Instant due;    ///< when the delay ends; later than `at + delay` if a longer one was running
  ExponentialBackOff backoff; ///< after the step
};

/// The delay ended; what is owed is handed over again.
struct DelayEnded {
  Instant at; ///< at or after the `due` of `RetryScheduled`
};

/// A delivery was given to the child.
struct HandedOver {
  Instant at;                ///< when it left the sender
  std::uint64_t delivery;    ///< the number of its `Accepted`
  std::uint32_t incarnation; ///< which child has it now
  bool again;                ///< an earlier incarnation had it already
};

/// The child confirmed a delivery; its client has the answer.
struct Acknowledged {
  Instant at;                ///< when the sender was told
  std::uint64_t delivery;    ///< the number of its `Accepted`
  std::uint32_t incarnation; ///< of the last hand-over
  std::uint32_t attempts;    ///< failed ones before this
  Duration latency;          ///< since the submission
};

/// An acknowledgement named no delivery that is owed: a late, a repeated or a forged one.
struct UnknownAcknowledgement {
  Instant at;              ///< when it came
  std::uint64_t hand_over; ///< the id that it named, see `HandOverId::value`
};

/// An acknowledgement reset a backoff that had started.
struct BackOffReset {
  Instant at;                 ///< of the acknowledgement
  ExponentialBackOff backoff; ///< after the reset
};

/// A delivery left without an acknowledgement.
struct DeadLettered {
  Instant at;              ///< when it left the outbox
  std::uint64_t delivery;  ///< the number of its `Accepted`
  DeadLetterReason reason; ///< why nothing more is tried
  std::uint32_t attempts;  ///< failed ones
  Cause cause; ///< rejected: the child's error; stopped: the sender's last failure, if any
};

/// The sender ended. Nothing comes after it.
struct SenderStopped {
  Instant at; ///< of the end
};

} // namespace event

/// Any of the events; `std::get_if` and `std::visit` tell which, `time_of` and `to_string` take
/// all.
using Event = std::variant<event::Accepted, event::ChildStarted, event::StartFailed,
                           event::ChildDown, event::RetryScheduled, event::DelayEnded,
                           event::HandedOver, event::Acknowledged, event::UnknownAcknowledgement,
                           event::BackOffReset, event::DeadLettered, event::SenderStopped>;

/// The one hook, called when a decision is made and before it is carried out.
///
/// It must not block. Without a hook no event is made.
///
/// @errors what it throws is dropped.
/// @thread the sender's. The events of its end, `DeadLettered` and `SenderStopped`, may come in
///         another: that in which the last handle to the sender is dropped.
using EventHook = std::function<void(const Event&)>;

namespace event { // of the events' types, so that unqualified calls find them

/// Returns when the event happened, on the time line of the sender's driver.
BACKOFF_ACTOR_EXPORT Instant time_of(const Event& event);

/// Renders an event in one line, without its time: `child 3 down: Danger, High Voltage!`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Event& event);

} // namespace event

using event::time_of;
using event::to_string;

} // namespace backoff_actor
