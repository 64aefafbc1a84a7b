#pragma once

#include "backoff_actor/caf/supervisor/supervisor_options.hpp"
#include "backoff_actor/core/export.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor {

/// Starts a supervisor, which then starts its children, one after the other. This function does not
/// wait for them. If a child cannot be started, the supervisor ends those before it, and then ends
/// with `SupervisorError::start_failed`, naming the child and the cause.
///
/// A supervisor is an actor that starts children in order and watches them. It restarts a child
/// that ends, after a backoff. Each child has a backoff of its own. The supervisor ends its
/// children in the reverse order.
///
/// It understands the messages of `supervisor_messages.hpp`, and `Stop`. It answers `Stop` with its
/// `ChildCounts` when it has ended its children, and then ends. An exit message with a failure or
/// with `exit_reason::user_shutdown` ends it in the same way, with that reason. An exit message
/// without a reason, or with `exit_reason::normal`, does nothing, as with any actor of CAF. With
/// `exit_reason::kill` it ends at once, and kills its children. It ignores exit messages about its
/// own children: it monitors them.
///
/// It ends by itself, after its children, when the limit of restarts is reached, when a failure is
/// escalated, or when significant children have done their work; the exit reason says which, see
/// `root_cause_of`.
///
/// Like any actor it lives only as long as somebody holds a handle to it. A supervisor holds
/// handles to its children, and so to supervisors below it. If nobody holds a handle to a
/// supervisor, it ends with `exit_reason::unreachable`, and says so on the error stream. A
/// successor then ends its children in order.
///
/// @errors throws `InvalidArgument` naming every option and every part of a spec that `check` finds
///         wrong, and `std::logic_error` if `init` was not called; nothing has been started then.
/// @thread any; messages may come from any thread.
[[nodiscard("a supervisor without a handle ends, and its children with it")]] BACKOFF_ACTOR_EXPORT
  caf::actor
  spawn_supervisor(caf::actor_system& system, std::vector<ChildSpec> children,
                   SupervisorOptions options = {});

/// The same for a dynamic supervisor, which has no children at first.
///
/// @errors, @thread as those of the function above
[[nodiscard("a supervisor without a handle ends, and its children with it")]] BACKOFF_ACTOR_EXPORT
  caf::actor
  spawn_supervisor(caf::actor_system& system, DynamicSupervisorOptions options);

/// Thrown if the first children of a supervisor cannot be started.
class BACKOFF_ACTOR_EXPORT StartFailed : public std::runtime_error {
public:
  /// Keeps the error, and its text for `what()`.
  StartFailed(caf::error error, const std::string& text);

  /// The exit reason of the supervisor; see `root_cause_of`.
  const caf::error& error() const { return error_; }

private:
  caf::error error_;
};

/// Starts a supervisor, and waits until its children are up.
///
/// @errors throws `InvalidArgument` as `spawn_supervisor` does, and `StartFailed`, naming the child
///         and the cause, if one of them cannot be started: then those before it have been ended.
/// @thread not an actor's own thread, which it would block, and not that of a system in virtual
///         time.
[[nodiscard("keep the handle: a supervisor and its children end when no handle to it is "
            "left")]] BACKOFF_ACTOR_EXPORT caf::actor
start_supervisor(caf::actor_system& system, std::vector<ChildSpec> children,
                 SupervisorOptions options = {});

/// Returns the spec of a supervisor as the child of another supervisor. It is up when its children
/// are up. When it is told to end, its parent waits without a limit. When it ends by itself with an
/// error, that is an abnormal end, so that a transient supervisor is restarted.
///
/// @errors throws `InvalidArgument` as `spawn_supervisor` does.
BACKOFF_ACTOR_EXPORT ChildSpec supervisor_spec(std::string id, std::vector<ChildSpec> children,
                                               SupervisorOptions options = {});

/// The same for a dynamic supervisor.
///
/// @errors as those of the function above
BACKOFF_ACTOR_EXPORT ChildSpec supervisor_spec(std::string id, DynamicSupervisorOptions options);

} // namespace backoff_actor
