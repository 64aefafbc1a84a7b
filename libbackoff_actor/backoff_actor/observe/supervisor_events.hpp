#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/supervision/alternative.hpp"
#include "backoff_actor/supervision/restart_type.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

namespace backoff_actor {

/// What happened in a supervisor, as plain values. `at` is on the time line of its driver, `child`
/// the id of a child, and an incarnation counts the actors of a child from 1.
namespace supervisor_event {

/// All first children are up.
struct Started {
  Instant at; ///< of the last one
};

/// A child was added at run time.
struct ChildAdded {
  Instant at;        ///< when it was asked for
  std::string child; ///< its id
};

/// A child and its spec are gone.
struct ChildRemoved {
  Instant at;        ///< when that happened
  std::string child; ///< its id
};

/// A child is up.
struct ChildStarted {
  Instant at;                ///< when that was known
  std::string child;         ///< its id
  std::uint32_t incarnation; ///< which actor
};

/// A child could not be made, or it ended or reported failure before it was up.
struct StartFailed {
  Instant at;                ///< when that was known
  std::string child;         ///< its id
  std::uint32_t incarnation; ///< which actor it was or would have been
  Cause cause;               ///< why
};

/// A child ended by itself.
struct ChildDown {
  Instant at;                ///< when the supervisor was told
  std::string child;         ///< its id
  std::uint32_t incarnation; ///< which actor
  Ending ending;             ///< in which way
  Cause cause;               ///< its exit reason
};

/// A child is told to end.
struct ChildToldToEnd {
  Instant at;                ///< when
  std::string child;         ///< its id
  std::uint32_t incarnation; ///< which actor
  bool is_killed;            ///< it was given no time, or its time is over
};

/// A child that was told to end has ended.
struct ChildEnded {
  Instant at;                ///< when the supervisor was told
  std::string child;         ///< its id
  std::uint32_t incarnation; ///< which actor
};

/// A child that was killed has not ended within the grace. The supervisor abandons it.
struct ChildAbandoned {
  Instant at;                ///< when
  std::string child;         ///< its id
  std::uint32_t incarnation; ///< which actor
};

/// An abandoned actor ended after all.
struct AbandonedChildEnded {
  Instant at; ///< when the supervisor was told
};

/// A child, and with a group strategy its siblings, will be started again.
struct RestartScheduled {
  Instant at;             ///< of the failure
  std::string child;      ///< whose failure it was
  Duration delay;         ///< of that child; a group waits until all of its delays ended
  std::uint32_t failures; ///< of that child, in a row
};

/// A child stays stopped: its restart type or the decider says so, or somebody asked for it.
struct ChildStopped {
  Instant at;        ///< when
  std::string child; ///< its id
};

/// A child has used up its own limit of restarts.
struct ChildGivenUp {
  Instant at;        ///< of the failure that was one too many
  std::string child; ///< its id
  Cause cause;       ///< of that failure
};

/// The supervisor has used up its limit of restarts, and ends.
struct LimitReached {
  Instant at;        ///< of the failure that was one too many
  std::string child; ///< whose failure it was
  Cause cause;       ///< of that failure
};

/// The supervisor could not obey a control message. It reports this only for a plain send, because
/// an error answer would end the message's sender, and only if no `StartFailed` says why.
struct ControlRefused {
  Instant at;        ///< when
  std::string child; ///< the id of the child concerned; empty: none
  Cause cause;       ///< why
};

/// The supervisor was told to end with a grace, or its own supervisor was: it starts nothing more,
/// and lets the senders below it finish what is in flight. `Stopping` comes next.
struct Finishing {
  Instant at;    ///< when that began
  Instant until; ///< the end of the grace; never: there is no limit
};

/// The supervisor ends its children.
struct Stopping {
  Instant at;        ///< when that began
  std::string cause; ///< why, for people
};

/// The supervisor ended. Nothing comes after it.
struct Stopped {
  Instant at; ///< of the end
};

} // namespace supervisor_event

/// Any of the events of a supervisor, and the supervisor's name.
struct BACKOFF_ACTOR_EXPORT SupervisorEvent
  : std::variant<supervisor_event::Started, supervisor_event::ChildAdded,
                 supervisor_event::ChildRemoved, supervisor_event::ChildStarted,
                 supervisor_event::StartFailed, supervisor_event::ChildDown,
                 supervisor_event::ChildToldToEnd, supervisor_event::ChildEnded,
                 supervisor_event::ChildAbandoned, supervisor_event::AbandonedChildEnded,
                 supervisor_event::RestartScheduled, supervisor_event::ChildStopped,
                 supervisor_event::ChildGivenUp, supervisor_event::LimitReached,
                 supervisor_event::ControlRefused, supervisor_event::Stopping,
                 supervisor_event::Stopped, supervisor_event::Finishing> {
  SupervisorEvent(); ///< holds the first kind of event
  /// Holds an event.
  template <detail::AlternativeOf<variant> T>
  SupervisorEvent(T x) : SupervisorEvent(detail::index_of<T, variant>, &x) {}
  SupervisorEvent(const SupervisorEvent& other);                ///< copies
  SupervisorEvent(SupervisorEvent&& other) noexcept;            ///< moves
  SupervisorEvent& operator=(const SupervisorEvent& other);     ///< copies
  SupervisorEvent& operator=(SupervisorEvent&& other) noexcept; ///< moves
  ~SupervisorEvent();                                           ///< destroys what it holds

  ActorName of{}; ///< the supervisor

private:
  SupervisorEvent(std::size_t index, void* x);
};

/// The hook of a supervisor, called when a decision is made and before it is carried out.
///
/// It must not block. Without a hook no event is made. What it captures must live as long as the
/// actor system, see `SupervisorOptions`; `SharedQueue` has a hook that may outlive everything.
///
/// @errors if it throws, the supervisor goes on. The first exception in the life of each supervisor
///         is a line on the error stream.
/// @thread the supervisor's; `Stopped` may come in the thread that drops the last handle to it.
using SupervisorEventHook = std::function<void(const SupervisorEvent&)>;

namespace supervisor_event { // with the events, so that unqualified calls find these functions

/// Returns when the event happened, on the time line of the supervisor's driver.
BACKOFF_ACTOR_EXPORT Instant time_of(const SupervisorEvent& event);

/// Renders an event in one line, without its time and its supervisor:
/// `child db 3 down: connection refused`.
BACKOFF_ACTOR_EXPORT std::string text_of(const SupervisorEvent& event);

/// Renders an event in one line, without its time, behind the name of its supervisor if it has one:
/// `root#5: child db 3 down: connection refused`.
BACKOFF_ACTOR_EXPORT std::string to_string(const SupervisorEvent& event);

} // namespace supervisor_event

using supervisor_event::text_of;
using supervisor_event::time_of;
using supervisor_event::to_string;

/// Returns how much attention an event needs.
BACKOFF_ACTOR_EXPORT Severity severity_of(const SupervisorEvent& event);

namespace detail {

class EventRecord;

BACKOFF_ACTOR_EXPORT void describe(const SupervisorEvent& event, EventRecord& record);

} // namespace detail

} // namespace backoff_actor
