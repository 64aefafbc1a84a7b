#pragma once

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/core/export.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace backoff_actor {

/// The children of a sender, and former children whose end CAF has not reported yet. The sender
/// numbers each child: this incarnation names the child.
///
/// - The first child needs no memory of its own. All others are in a table, where they are found in
///   constant time. Most senders have none.
/// - The sender monitors every child, from `adopt` on.
/// - The sender is told once that a child has ended. It is not told about a dismissed child, nor
///   about a shared child that was released.
/// - A shared child is never told to end.
///
/// The sender owns the keeper and passes itself as `self`. A reference to it in every keeper would
/// cost each idle sender 8 bytes.
///
/// @range all members but `adopt` accept an incarnation that names no child, and then do nothing.
/// @thread the sender's own
class BACKOFF_ACTOR_EXPORT ChildKeeper {
public:
  /// An actor that works for the sender.
  struct Child {
    std::uint32_t incarnation = 0;
    Ownership ownership = Ownership::sole;
    caf::actor handle{};
  };

  /// Adds a child, and monitors it.
  void adopt(compat::RequestingActor& self, Child child);
  /// Returns a child, until the next call that is not `const`; null if none has this incarnation.
  const Child* find(std::uint32_t incarnation) const;
  /// Returns the child that is this actor; null if none is.
  const Child* find(const caf::strong_actor_ptr& who) const;
  /// Returns all children that are this actor: a shared one may be several.
  std::vector<std::uint32_t> find_all(const caf::strong_actor_ptr& who) const;
  /// Returns a child's actor; an invalid handle if no child has this incarnation.
  caf::actor handle(std::uint32_t incarnation) const;

  /// Asks a child to end (`user_shutdown`), with priority over the messages in its mailbox. Returns
  /// false for a shared child: it is released instead.
  bool ask_to_end(compat::RequestingActor& self, std::uint32_t incarnation);
  /// The same, and then kills the child (`kill`), in case it ignores the first exit message.
  bool tell_to_end(compat::RequestingActor& self, std::uint32_t incarnation);
  /// Tells a child to end, unless it is shared, and forgets it.
  void dismiss(compat::RequestingActor& self, std::uint32_t incarnation);
  /// Makes a child a former one, without a message to it.
  void abandon(std::uint32_t incarnation);

  /// Takes CAF's news that an actor has ended, and forgets the actor. Returns the incarnation whose
  /// end the sender is to be told; none if there is nothing to tell.
  std::optional<std::uint32_t> take_down(const caf::actor_addr& who);
  /// Whether CAF's news of this actor's end is still to come, and was asked for by `adopt`.
  bool awaits_down(const caf::actor_addr& who) const;

private:
  // A former child, until CAF's news of its end comes.
  struct Former {
    std::uint32_t incarnation;
    caf::actor_addr address;
  };

  // All children but one, and the former ones. Most senders have none.
  struct Others {
    std::unordered_map<std::uint32_t, Child> children{}; // by incarnation
    // The incarnations of an actor: it may be several children, if it is shared.
    std::unordered_multimap<const void*, std::uint32_t> by_actor{};
    std::vector<Former> former{};
  };

  static const void* key_of(const caf::strong_actor_ptr& who) { return who.get(); }
  static const void* key_of(const Child& child);
  Child take(std::uint32_t incarnation);
  Others& others();

  Child child_;                    // without a handle: there is none
  std::unique_ptr<Others> others_; // none: there are none
};

} // namespace backoff_actor
