#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/child/child_ref.hpp"
#include "backoff_actor/observe/supervision_tree.hpp"
#include "backoff_actor/supervision/child_options.hpp"

#include <optional>
#include <string>

namespace backoff_actor {

/// A child of a supervisor: its name, its factory and its options.
struct ChildSpec {
  /// The name of the child in commands to the supervisor.
  ///
  /// @range not empty, and unique within its supervisor
  std::string id{};

  /// Makes the child's actors. The argument is the supervisor.
  ChildFactory make{};

  /// How the supervisor treats the child.
  ChildOptions options{};

  /// Whether the child is a worker or a supervisor. `GetTree` also shows what is below a
  /// supervisor.
  ChildKind kind = ChildKind::worker;

  /// An address that leads to the child's present actor. Unset: only the supervisor knows the
  /// actor.
  std::optional<ChildRef> address{};
};

} // namespace backoff_actor
