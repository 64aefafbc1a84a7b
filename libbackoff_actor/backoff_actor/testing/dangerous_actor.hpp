#pragma once

#include "backoff_actor/caf/child.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/fault_script.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::testing {

/// The children of one sender, which do what a script says, and the record of what they were given.
///
/// A child takes `std::string` messages, bare or inside a `TrackedMsg`, and answers with the same
/// text.
///
/// @thread safe: children may run in any thread while others read.
class BACKOFF_ACTOR_EXPORT Danger {
public:
  /// Follows `script`; without one all children are healthy and answer.
  explicit Danger(FaultScript script = {});

  /// One message that one child was given.
  struct Seen {
    std::uint32_t incarnation; ///< which child, counted from 1 by the calls of the factory
    std::string text;          ///< the message, or the payload of the `TrackedMsg`

    /// Whether the same child was given the same text.
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  /// The factory of the children. Children keep what they need; this object may go.
  ChildFactory factory() const;

  /// All messages that any child was given, in order.
  std::vector<Seen> seen() const;

  /// The texts of `seen()`.
  std::vector<std::string> texts() const;

  /// How often the factory was called.
  std::size_t started() const;

  /// How many children live.
  std::size_t alive() const;

  /// The youngest child; invalid before the first, and once it is gone.
  caf::actor child() const;

  /// Appends to the acts of the script, for messages to come.
  void then(std::vector<Act> acts);

  struct State;

private:
  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
