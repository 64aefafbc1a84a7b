#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/supervisor/supervisor_engine_options.hpp"
#include "backoff_actor/supervision/alternative.hpp"
#include "backoff_actor/supervision/directive.hpp"
#include "backoff_actor/supervision/restart_type.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

namespace backoff_actor {

/// Names a child of an engine: its slot, and a serial number that tells apart the children that had
/// the slot. Unlike an id, a name is never used twice.
struct ChildName {
  std::uint32_t slot = 0;   ///< 0 and up; free again when the child is removed
  std::uint32_t serial = 0; ///< counts the children of the engine from 1; 0: none

  /// Orders by slot, then by serial number.
  friend auto operator<=>(const ChildName&, const ChildName&) = default;
};

/// Names one actor of a child. The engine recognises inputs about an earlier actor, or about a
/// removed child, as stale.
struct ChildActor {
  ChildName child;               ///< which child
  std::uint32_t incarnation = 0; ///< counted from 1

  /// Whether two name the same actor.
  friend bool operator==(const ChildActor&, const ChildActor&) = default;
};

/// Identifies a request, so that the driver can answer it.
using Ticket = std::uint64_t;

/// The inputs that a driver gives to a supervisor's engine.
namespace supervisor_input {

/// The supervisor begins; the first input.
struct Start {};

/// Somebody wants a child to be added and started.
struct StartChild {
  Ticket ticket;    ///< goes back in `supervisor_effect::Answer`
  ChildEntry entry; ///< the child
};

/// Somebody wants a child to be ended.
struct TerminateChild {
  Ticket ticket;  ///< goes back in `supervisor_effect::Answer`
  std::string id; ///< of the child
};

/// Somebody wants a child that is down to be started.
struct RestartChild {
  Ticket ticket;  ///< goes back in `supervisor_effect::Answer`
  std::string id; ///< of the child
};

/// Somebody wants a child that is down to be forgotten.
struct DeleteChild {
  Ticket ticket;  ///< goes back in `supervisor_effect::Answer`
  std::string id; ///< of the child
};

/// Somebody wants the delay of a child to end now.
struct RetryNow {
  Ticket ticket;  ///< goes back in `supervisor_effect::Answer`
  std::string id; ///< of the child
};

/// An actor was made. With `Readiness::when_made` it is up.
struct ChildMade {
  ChildActor actor; ///< of `supervisor_effect::StartChild`
  /// Whether it obeys `supervisor_effect::Finish`, and then limits the time of its own children.
  bool can_finish = false;
};

/// An actor is up.
struct ChildUp {
  ChildActor actor; ///< an actor that was made
};

/// No actor was made.
struct StartFailed {
  ChildActor actor;    ///< of `supervisor_effect::StartChild`
  Cause cause;         ///< why
  Directive directive; ///< what the decider decided
};

/// An actor said that it will not be up. It is alive.
struct ChildNotUp {
  ChildActor actor;    ///< an actor that was made
  Cause cause;         ///< why
  Directive directive; ///< what the decider decided
};

/// An actor ended.
struct ChildDown {
  ChildActor actor;    ///< an actor that was made, abandoned or not
  Ending ending;       ///< in which way
  Cause cause;         ///< its exit reason; no error after a normal end
  Directive directive; ///< what the decider decided; only used for a failure
};

/// An actor has nothing in flight any more.
struct ChildFinished {
  ChildActor actor; ///< of `supervisor_effect::Finish`
};

/// Time has passed; asked for with `supervisor_effect::WakeAt`.
struct Wake {};

/// The children must finish what is in flight, and nothing is started any more. If there are
/// several of these, the earliest deadline holds.
struct Finish {
  /// When the time to finish and to end is over; never: there is no limit.
  Instant deadline = Instant::never();
  /// Whether the supervisor then ends: once its children have finished, and at the deadline at the
  /// latest. If not, the engine reports `supervisor_effect::Finished`, and waits for a `Stop`.
  bool ends = true;
};

/// The supervisor must end its children and itself.
struct Stop {
  bool is_unreachable = false; ///< true: nobody holds it; false: it was told to end
  /// Whether the children keep the time until the deadline of `Finish`. If not, each has the time
  /// that its options give it, or until the deadline if that comes first.
  bool keeps_grace = false;
};

} // namespace supervisor_input

/// Any of the inputs.
struct BACKOFF_ACTOR_EXPORT SupervisorInput
  : std::variant<
      supervisor_input::Start, supervisor_input::StartChild, supervisor_input::TerminateChild,
      supervisor_input::RestartChild, supervisor_input::DeleteChild, supervisor_input::RetryNow,
      supervisor_input::ChildMade, supervisor_input::ChildUp, supervisor_input::StartFailed,
      supervisor_input::ChildNotUp, supervisor_input::ChildDown, supervisor_input::Wake,
      supervisor_input::Stop, supervisor_input::ChildFinished, supervisor_input::Finish> {
  /// Holds an input.
  template <detail::AlternativeOf<variant> T>
  SupervisorInput(T x);
  SupervisorInput(const SupervisorInput& other);                ///< copies
  SupervisorInput(SupervisorInput&& other) noexcept;            ///< moves
  SupervisorInput& operator=(const SupervisorInput& other);     ///< copies
  SupervisorInput& operator=(SupervisorInput&& other) noexcept; ///< moves
  ~SupervisorInput();                                           ///< destroys what it holds
};

} // namespace backoff_actor
