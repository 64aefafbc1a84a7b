#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace backoff_actor {

/// The kind of a child in the tree.
enum class ChildKind : std::uint8_t {
  worker,     ///< a leaf
  supervisor, ///< a supervisor, which is asked for its own children
};

/// A child in the tree, with all children below it.
struct TreeNode {
  ChildStatus status{};               ///< its status
  ChildKind kind = ChildKind::worker; ///< what it is
  std::vector<TreeNode> children{};   ///< in order; only of a supervisor that is up

  /// Whether two are equal.
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// A supervisor and all that is below it, at about one moment.
struct SupervisionTree {
  SupervisorPhase phase = SupervisorPhase::starting; ///< of the supervisor
  ChildCounts counts{};                              ///< of its own children
  std::vector<TreeNode> children{};                  ///< in order
  ActorName name{};                                  ///< of the supervisor

  /// Whether two are equal.
  friend bool operator==(const SupervisionTree&, const SupervisionTree&) = default;
};

/// Renders a tree for people, one line for each child. Line ends and control characters in its
/// texts are escaped, and bytes that are not UTF-8 become U+FFFD.
///
///     root#5 running, 3 children: 2 running, 1 waiting; 4 restarts
///     |- front (web_server#9): running, child 1
///     |- pool (supervisor#6): running, child 1
///     |  |- worker-1 (sender#11): running, child 3
///     |  `- worker-2: waiting, restart in 70ms, child 4, 2 failures in a row, last: refused
///     `- cache (cache#8): running, child 1
BACKOFF_ACTOR_EXPORT std::string to_string(const SupervisionTree& tree);

/// Renders a tree for machines: an object with `name`, `phase`, `restarts` and `children`. The
/// children are an array of objects with `id`, `name`, `kind`, `state`, `restart`, `stopped`,
/// `incarnation`, `restarts`, `failures`, `due_in_seconds`, `up_seconds`, `cause` and `children`.
/// These members may be null:
///
/// - `name`: the text of the supervisor's name, or of that of the present actor of a child
/// - `stopped`: why it was stopped
/// - `due_in_seconds`: the rest of its delay
/// - `cause`: the cause of the last failure
///
/// The text is UTF-8: bytes that are not UTF-8 become U+FFFD.
BACKOFF_ACTOR_EXPORT std::string to_json(const SupervisionTree& tree);

} // namespace backoff_actor
