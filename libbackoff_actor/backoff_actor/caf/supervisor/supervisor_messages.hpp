#pragma once

#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/caf/supervisor/supervisor_options.hpp"
#include "backoff_actor/observe/supervision_tree.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <string>
#include <vector>

namespace backoff_actor {

// The commands of a supervisor. It answers each of them as soon as it can, and does its other work
// meanwhile. Errors are `SupervisorError`s. The answer to a plain send is a plain send. If a plain
// send fails, the supervisor reports the event `ControlRefused` or `StartFailed` instead.

/// Adds a child and starts it. Answered with `StartedChild` when the child is up. While the
/// supervisor restarts the child's group, or starts its first children, the child waits for those
/// in front of it.
///
/// @errors `already_started`, `already_present`, `stopping`; `start_failed`, with the cause: the
///         child was then not added; `terminated`; `sec::invalid_argument` with everything that is
///         wrong with the spec. Dynamic supervisors take `AddChild` instead.
struct StartChild {
  ChildSpec spec; ///< cannot be sent to another process
};

/// Adds a child to a dynamic supervisor and starts it. Answered with `StartedChild` when the child
/// is up.
///
/// @errors as of `StartChild`, and `max_children`
struct AddChild {
  caf::message arguments{}; ///< for the factory
  std::string id{};         ///< unique among the children; empty: the supervisor makes a number
};

/// The answer to `StartChild`, `AddChild` and `RestartChild`.
struct StartedChild {
  std::string id{};   ///< of the child
  caf::actor actor{}; ///< the actor that was started
};

/// Ends a child. Answered with an empty message when the child is down; at once if it was down
/// before, or if it waited for a restart, which is then cancelled. The supervisor also forgets the
/// spec of a temporary child, and of every child of a dynamic supervisor.
///
/// @errors `not_found`
struct TerminateChild {
  std::string id{}; ///< of the child
};

/// Starts a child that is down and waits for no restart. Answered with `StartedChild` when the
/// child is up. It waits for other children as with `StartChild`.
///
/// @errors `not_found`, `running`, `restarting`, `ending`, `stopping`, `terminated`;
///         `start_failed`, with the cause: the child then stays down.
struct RestartChild {
  std::string id{}; ///< of the child
};

/// Deletes the spec of a child that is down. Answered with an empty message.
///
/// @errors `not_found`, `running`, `restarting`, `ending`
struct DeleteChild {
  std::string id{}; ///< of the child
};

/// Ends the delay of a child, or of the group that it waits with. Answered at once with an empty
/// message.
///
/// @errors `not_found`, `running`, `restarting`, `ending`, `not_running`
struct RetryChildNow {
  std::string id{}; ///< of the child
};

/// Asks for the status of all children. Answered with `Children`.
struct WhichChildren {};

/// One child of `Children`.
struct ChildInfo {
  ChildStatus status{};               ///< its present status
  ChildKind kind = ChildKind::worker; ///< from its spec
  caf::actor actor{};                 ///< its present actor; invalid if there is none
};

/// The answer to `WhichChildren`.
struct Children {
  std::vector<ChildInfo> list{}; ///< in order
};

/// Asks how many children there are. Answered with `ChildCounts`.
struct CountChildren {};

/// Asks for the spec of a child. Answered with `ChildSpec`, which cannot be sent to another
/// process.
///
/// @errors `not_found`
struct GetSpec {
  std::string id{}; ///< of the child
};

/// Asks for the tree of the supervisor and everything below it. Answered with `SupervisionTree` as
/// soon as each child that is a running supervisor has answered or ended.
struct GetTree {};

/// Asks an actor to answer when it is up. A supervisor answers with an empty message when its first
/// children are up, and with an error if they will not come up. An actor whose spec says
/// `Readiness::when_it_is_up` must answer in the same way.
struct AwaitUp {};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, AddChild& x) {
  return compat::object(f, x, "backoff_actor::AddChild", compat::field("arguments", x.arguments),
                        compat::field("id", x.id));
}
auto inspect(auto& f, StartedChild& x) {
  return compat::object(f, x, "backoff_actor::StartedChild", compat::field("id", x.id),
                        compat::field("actor", x.actor));
}
auto inspect(auto& f, TerminateChild& x) {
  return compat::object(f, x, "backoff_actor::TerminateChild", compat::field("id", x.id));
}
auto inspect(auto& f, RestartChild& x) {
  return compat::object(f, x, "backoff_actor::RestartChild", compat::field("id", x.id));
}
auto inspect(auto& f, DeleteChild& x) {
  return compat::object(f, x, "backoff_actor::DeleteChild", compat::field("id", x.id));
}
auto inspect(auto& f, RetryChildNow& x) {
  return compat::object(f, x, "backoff_actor::RetryChildNow", compat::field("id", x.id));
}
auto inspect(auto& f, WhichChildren& x) {
  return compat::object(f, x, "backoff_actor::WhichChildren");
}
auto inspect(auto& f, ChildStatus& x) {
  return compat::object(
    f, x, "backoff_actor::ChildStatus", compat::field("id", x.id),
    compat::enum_field("state", x.state), compat::enum_field("restart", x.restart),
    compat::enum_field("stopped", x.stopped), compat::field("incarnation", x.incarnation),
    compat::field("restarts", x.restarts), compat::field("failures", x.failures),
    compat::field("is_due", x.is_due), compat::field("due_in", x.due_in),
    compat::field("up_for", x.up_for), compat::field("cause", x.cause));
}
auto inspect(auto& f, ChildInfo& x) {
  return compat::object(f, x, "backoff_actor::ChildInfo", compat::field("status", x.status),
                        compat::enum_field("kind", x.kind), compat::field("actor", x.actor));
}
auto inspect(auto& f, Children& x) {
  return compat::object(f, x, "backoff_actor::Children", compat::field("list", x.list));
}
auto inspect(auto& f, CountChildren& x) {
  return compat::object(f, x, "backoff_actor::CountChildren");
}
auto inspect(auto& f, ChildCounts& x) {
  return compat::object(f, x, "backoff_actor::ChildCounts", compat::field("specs", x.specs),
                        compat::field("active", x.active), compat::field("running", x.running),
                        compat::field("waiting", x.waiting), compat::field("stopped", x.stopped),
                        compat::field("restarts", x.restarts),
                        compat::field("abandoned", x.abandoned));
}
auto inspect(auto& f, GetSpec& x) {
  return compat::object(f, x, "backoff_actor::GetSpec", compat::field("id", x.id));
}
auto inspect(auto& f, GetTree& x) { return compat::object(f, x, "backoff_actor::GetTree"); }
auto inspect(auto& f, TreeNode& x) {
  return compat::object(f, x, "backoff_actor::TreeNode", compat::field("status", x.status),
                        compat::enum_field("kind", x.kind), compat::field("children", x.children));
}
auto inspect(auto& f, SupervisionTree& x) {
  return compat::object(f, x, "backoff_actor::SupervisionTree",
                        compat::enum_field("phase", x.phase), compat::field("counts", x.counts),
                        compat::field("children", x.children));
}
auto inspect(auto& f, AwaitUp& x) { return compat::object(f, x, "backoff_actor::AwaitUp"); }
/// @}

} // namespace backoff_actor

// A factory cannot be sent over a network.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::ChildSpec)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::StartChild)
