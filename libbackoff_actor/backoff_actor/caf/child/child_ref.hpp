#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <memory>

namespace backoff_actor {

/// An address of a child. It stays the same when the child is restarted.
///
///     ChildRef cache{system};
///     ChildSpec{.id = "cache", .make = child_of<Cache>(), .address = cache}
///
/// A message to `actor()` goes to the actor that the child has then, without a hop, and keeps its
/// sender. While the child has no actor, a request is answered with `SupervisorError::no_child`,
/// and a plain send is counted as undelivered. If an actor crashes, the messages in its mailbox are
/// lost, as with any actor; CAF answers the requests among them. If you must not lose a message,
/// send it to a `BackOffSender`, which may be the child.
///
/// A copy is the same address. The address does not keep the supervisor alive. It lets go of an
/// actor as soon as the supervisor notices that the actor has ended. Do not monitor `actor()`: it
/// goes down with the last copy of the address, not with the child.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT ChildRef {
public:
  /// Makes a new address, without an actor.
  explicit ChildRef(caf::actor_system& system);

  /// Returns the address as an actor handle; never invalid.
  const caf::actor& actor() const { return address_; }

  /// Returns the present actor of the child; invalid if there is none.
  caf::actor current() const;

  /// Returns how many plain sends found no actor.
  std::uint64_t undelivered() const;

  /// Sets the present actor. For supervisors.
  void point_to(const caf::actor& child);

  /// Removes this actor if it is the present one; keeps any other. For supervisors.
  void leave(const caf::actor& child);

  /// Returns true if both are the same address.
  friend bool operator==(const ChildRef& a, const ChildRef& b) { return a.target_ == b.target_; }

private:
  class Target;

  std::shared_ptr<Target> target_;
  caf::actor address_;
};

} // namespace backoff_actor
