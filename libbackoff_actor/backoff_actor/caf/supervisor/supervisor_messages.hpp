#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/caf/supervisor/supervisor_options.hpp"
#include "backoff_actor/observe/supervision_tree.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <string>
#include <vector>

namespace backoff_actor {

// What a supervisor understands. Each is answered, and none makes it wait: it goes on with its other
// work until the answer is there. Errors are `SupervisorError`s. The answer to a plain send is a plain
// send; an error is the event `ControlRefused` then, or `StartFailed`.

/// Asks for a child to be added and started. Answered with `StartedChild` when it is up. While its group is
/// restarted, or the first children are started, it waits for those in front of it.
///
/// @errors `already_started`, `already_present`, `stopping`; `start_failed`, with the cause: then it was
///         not added; `terminated`; `sec::invalid_argument` with all that is wrong with the spec.
///         Dynamic supervisors take `AddChild`.
struct StartChild {
  ChildSpec spec; ///< goes only to supervisors of the same process
};

/// Asks a dynamic supervisor for a child. Answered with `StartedChild` when it is up.
///
/// @errors as of `StartChild`, and `max_children`
struct AddChild {
  caf::message arguments{}; ///< for its factory
  std::string id{};         ///< unique among the children; empty: a number is made for it
};

/// The answer to whoever asked for a start.
struct StartedChild {
  std::string id{};   ///< of the child
  caf::actor actor{}; ///< what was started
};

/// Asks for a child to be ended. Answered with nothing when it is down, or if it was; at once if it
/// waits for its restart, which is called off then. The spec of a temporary child, and of any child of
/// a dynamic supervisor, is gone with it.
///
/// @errors `not_found`
struct TerminateChild {
  std::string id{}; ///< of the child
};

/// Asks for a child that is down, with nothing scheduled, to be started. Answered with `StartedChild`
/// when it is up. It waits for others as with `StartChild`.
///
/// @errors `not_found`, `running`, `restarting`, `ending`, `stopping`, `terminated`; `start_failed`, with
///         the cause: then it stays down.
struct RestartChild {
  std::string id{}; ///< of the child
};

/// Asks for the spec of a child that is down to be forgotten. Answered with nothing.
///
/// @errors `not_found`, `running`, `restarting`, `ending`
struct DeleteChild {
  std::string id{}; ///< of the child
};

/// Asks for the delay of a child, or of the group that it waits with, to be over. Answered with nothing
/// at once.
///
/// @errors `not_found`, `running`, `restarting`, `ending`, `not_running`
struct RetryChildNow {
  std::string id{}; ///< of the child
};

/// Asks how all children stand. Answered with `Children`.
struct WhichChildren {};

/// One child of `Children`.
struct ChildInfo {
  ChildStatus status{};               ///< how it stands
  ChildKind kind = ChildKind::worker; ///< from its spec
  caf::actor actor{};                 ///< the one that is there; invalid if none is
};

/// The answer to `WhichChildren`.
struct Children {
  std::vector<ChildInfo> list{}; ///< in order
};

/// Asks how many children there are. Answered with `ChildCounts`.
struct CountChildren {};

/// Asks for the spec of a child. Answered with `ChildSpec`, which goes only to clients of the same
/// process.
///
/// @errors `not_found`
struct GetSpec {
  std::string id{}; ///< of the child
};

/// Asks for the supervisor and all that is below it. Answered with `SupervisionTree`, when those of its
/// children that are supervisors have answered or ended.
struct GetTree {};

/// Asks whether an actor is up. A supervisor answers with nothing when its first children are up, and
/// with an error if they will not be. An actor whose spec says `Readiness::when_it_is_up` answers in the
/// same way.
struct AwaitUp {};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, AddChild& x) {
  return seam::object(f, x, "backoff_actor::AddChild", seam::field("arguments", x.arguments),
                      seam::field("id", x.id));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, StartedChild& x) {
  return seam::object(f, x, "backoff_actor::StartedChild", seam::field("id", x.id),
                      seam::field("actor", x.actor));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, TerminateChild& x) {
  return seam::object(f, x, "backoff_actor::TerminateChild", seam::field("id", x.id));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, RestartChild& x) {
  return seam::object(f, x, "backoff_actor::RestartChild", seam::field("id", x.id));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, DeleteChild& x) {
  return seam::object(f, x, "backoff_actor::DeleteChild", seam::field("id", x.id));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, RetryChildNow& x) {
  return seam::object(f, x, "backoff_actor::RetryChildNow", seam::field("id", x.id));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, WhichChildren& x) {
  return seam::object(f, x, "backoff_actor::WhichChildren");
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, ChildStatus& x) {
  return seam::object(f, x, "backoff_actor::ChildStatus", seam::field("id", x.id),
                      seam::enum_field("state", x.state), seam::enum_field("restart", x.restart),
                      seam::enum_field("stopped", x.stopped),
                      seam::field("incarnation", x.incarnation),
                      seam::field("restarts", x.restarts), seam::field("failures", x.failures),
                      seam::field("is_due", x.is_due), seam::field("due_in", x.due_in),
                      seam::field("up_for", x.up_for), seam::field("cause", x.cause));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, ChildInfo& x) {
  return seam::object(f, x, "backoff_actor::ChildInfo", seam::field("status", x.status),
                      seam::enum_field("kind", x.kind), seam::field("actor", x.actor));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Children& x) {
  return seam::object(f, x, "backoff_actor::Children", seam::field("list", x.list));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, CountChildren& x) {
  return seam::object(f, x, "backoff_actor::CountChildren");
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, ChildCounts& x) {
  return seam::object(f, x, "backoff_actor::ChildCounts", seam::field("specs", x.specs),
                      seam::field("active", x.active), seam::field("running", x.running),
                      seam::field("waiting", x.waiting), seam::field("stopped", x.stopped),
                      seam::field("restarts", x.restarts), seam::field("abandoned", x.abandoned));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, GetSpec& x) {
  return seam::object(f, x, "backoff_actor::GetSpec", seam::field("id", x.id));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, GetTree& x) {
  return seam::object(f, x, "backoff_actor::GetTree");
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, TreeNode& x) {
  return seam::object(f, x, "backoff_actor::TreeNode", seam::field("status", x.status),
                      seam::enum_field("kind", x.kind), seam::field("children", x.children));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, SupervisionTree& x) {
  return seam::object(f, x, "backoff_actor::SupervisionTree", seam::enum_field("phase", x.phase),
                      seam::field("counts", x.counts), seam::field("children", x.children));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, AwaitUp& x) {
  return seam::object(f, x, "backoff_actor::AwaitUp");
}

} // namespace backoff_actor

// What makes a child cannot go over a network.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::ChildSpec)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(backoff_actor::StartChild)
