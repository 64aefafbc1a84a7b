#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/child/child_ref.hpp"
#include "backoff_actor/observe/supervision_tree.hpp"
#include "backoff_actor/supervision/child_options.hpp"

#include <optional>
#include <string>

namespace backoff_actor {

/// A child of a supervisor: who it is, how it is made, and how it is treated.
struct ChildSpec {
  /// Its name, by which it is asked for.
  ///
  /// @range not empty, and unique within its supervisor
  std::string id{};

  /// Makes its actors; its argument is the supervisor.
  ChildFactory make{};

  /// How it is treated.
  ChildOptions options{};

  /// Whether it is a supervisor, and part of the tree that is shown.
  ChildKind kind = ChildKind::worker;

  /// Where its actors are to be found; unset: nowhere but by asking the supervisor.
  std::optional<ChildRef> address{};
};

} // namespace backoff_actor
