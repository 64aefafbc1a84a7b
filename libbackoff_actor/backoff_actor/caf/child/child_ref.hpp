#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <memory>

namespace backoff_actor {

/// The address of a child that stays the same while its actors come and go.
///
///     ChildRef cache{system};
///     ChildSpec{.id = "cache", .make = child_of<Cache>(), .address = cache}
///
/// What is sent to `actor()` goes to the actor that is there then, in the name of whoever sent it, and
/// without a hop. While there is none, a request is answered with `SupervisorError::no_child`, and a
/// plain send is counted as undelivered. As with any actor, what was in the mailbox of one that
/// crashes is lost: requests among it are answered by CAF. Who must not lose a message asks a
/// `BackOffSender`, which may be the child.
///
/// A copy is the same address. It keeps neither the supervisor nor, once that has noticed its end, a
/// child alive. To watch it says nothing: it ends when nobody holds it any more.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT ChildRef {
public:
  /// A new address, with nobody there.
  explicit ChildRef(caf::actor_system& system);

  /// The address, as a handle like any other; never invalid.
  const caf::actor& actor() const { return address_; }

  /// The actor that is there now; invalid if none is.
  caf::actor current() const;

  /// How many plain sends found nobody.
  std::uint64_t undelivered() const;

  /// Puts an actor there; the supervisor's to call.
  void point_to(const caf::actor& child);

  /// Leaves nobody there if this actor was, and whoever else is; the supervisor's to call.
  void leave(const caf::actor& child);

  /// Whether two are the same address.
  friend bool operator==(const ChildRef& a, const ChildRef& b) { return a.target_ == b.target_; }

private:
  class Target;

  std::shared_ptr<Target> target_;
  caf::actor address_;
};

} // namespace backoff_actor
