#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/supervisor_error.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/engine/supervisor/supervisor_inputs.hpp"
#include "backoff_actor/supervision/alternative.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor {

/// The actions that a supervisor's engine asks of its driver. The driver carries them out in order.
namespace supervisor_effect {

/// The child of this `supervisor_input::StartChild` was accepted: keep its factory.
struct KeepChild {
  ChildName child; ///< under this name
  Ticket ticket;   ///< of the input
};

/// The child is gone: forget its factory.
struct ForgetChild {
  ChildName child; ///< will not be named again
};

/// Make an actor, then answer with `supervisor_input::ChildMade` or `StartFailed`.
struct StartChild {
  ChildActor actor;   ///< goes back in the answer
  bool asks_if_it_is; ///< ask it whether it is up, then answer with `ChildUp` or `ChildNotUp`
};

/// Tell this actor to finish what is in flight, and answer with `supervisor_input::ChildFinished`
/// when it has. If this comes again for an actor, the deadline has become earlier.
struct Finish {
  ChildActor actor; ///< an actor that is alive, and that can finish
  Instant deadline; ///< when its time to finish and to end is over; never: there is no limit
};

/// The children have finished, after a `supervisor_input::Finish` after which the supervisor does
/// not end: tell its requester.
struct Finished {};

/// Ask this actor to end; answer with `supervisor_input::ChildDown` when it has. This comes a
/// second time if the actor does not keep its grace after all.
struct TellToEnd {
  ChildActor actor; ///< an actor that is alive
  /// Whether the actor's own children keep the time until the deadline of `Finish`.
  bool keeps_grace = false;
};

/// Kill this actor; answer with `supervisor_input::ChildDown` when it has ended.
struct Kill {
  ChildActor actor; ///< an actor that is alive
};

/// Abandon this actor, which was killed and has not ended. Still report its end.
struct Abandon {
  ChildActor actor; ///< an actor that was killed
};

/// The answer to a request.
struct Answer {
  Ticket ticket;                        ///< that of the request
  std::optional<SupervisorError> error; ///< why the request failed; unset: it succeeded
  ChildName child;                      ///< the child; its serial is 0 if there is none
  Cause cause; ///< why the start failed, with `start_failed`; else no error
};

/// All first children are up: tell the actors that wait for it.
struct Started {};

/// Give a `supervisor_input::Wake` at `at`, or soon if that has passed. Replaces an earlier
/// request.
struct WakeAt {
  Instant at; ///< on the time line of `now`
};

/// Why a supervisor ends.
enum class QuitReason : std::uint8_t {
  told,          ///< somebody wanted it
  unreachable,   ///< nobody holds it
  auto_shutdown, ///< significant children have done their work
  start_failed,  ///< a child could not be started when the supervisor was
  limit_reached, ///< there were more restarts than the limit allows
  child_limit,   ///< a child was given up, and its options say to escalate that
  escalated,     ///< the decider said so
};

/// The supervisor ends its children from now on, and will quit: keep the reason.
struct BeginStop {
  QuitReason reason; ///< why
  ChildName child;   ///< the child that failed or ended; its serial is 0: none
  std::string id;    ///< of that child
  Cause cause;       ///< of that failure
};

/// All children are down or abandoned: end, after the other effects of this step.
struct Quit {};

/// The hook `SupervisorEngineOptions::on_event` threw an exception: report it. The engine goes on.
struct HookFailed {
  std::string text; ///< of the exception
};

} // namespace supervisor_effect

/// Any of the effects.
struct BACKOFF_ACTOR_EXPORT SupervisorEffect
  : std::variant<supervisor_effect::KeepChild, supervisor_effect::ForgetChild,
                 supervisor_effect::StartChild, supervisor_effect::TellToEnd,
                 supervisor_effect::Kill, supervisor_effect::Abandon, supervisor_effect::Answer,
                 supervisor_effect::Started, supervisor_effect::WakeAt,
                 supervisor_effect::BeginStop, supervisor_effect::Quit, supervisor_effect::Finish,
                 supervisor_effect::Finished, supervisor_effect::HookFailed> {
  /// Holds an effect.
  template <detail::AlternativeOf<variant> T>
  SupervisorEffect(T x);
  SupervisorEffect(const SupervisorEffect& other);                ///< copies
  SupervisorEffect(SupervisorEffect&& other) noexcept;            ///< moves
  SupervisorEffect& operator=(const SupervisorEffect& other);     ///< copies
  SupervisorEffect& operator=(SupervisorEffect&& other) noexcept; ///< moves
  ~SupervisorEffect();                                            ///< destroys what it holds
};

/// What one step asks for, in order. A step appends to it; the driver empties it and uses it again.
using SupervisorEffects = std::vector<SupervisorEffect>;

} // namespace backoff_actor
