#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/delivery/ordering.hpp"

#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace backoff_actor {

struct DeadLetter;

/// What a `ChildRef` keeps while its child has no actor.
///
/// What its functions capture must live as long as the address and the actor system.
struct ChildBuffer {
  /// How many messages the address keeps.
  ///
  /// @range 0 to 268,435,455; 0: it keeps none
  std::size_t capacity = 1000;

  /// What the address does with a message that comes when it already keeps `capacity` messages.
  Overflow overflow = Overflow::refuse;

  /// How many bytes the messages together may have. Unset: any number.
  ///
  /// @range 1 to 2^63 - 1
  std::optional<std::uint64_t> capacity_bytes{};

  /// Returns the bytes of a message. Empty: its size in CAF's binary format. Only with
  /// `capacity_bytes`.
  ///
  /// @errors if it throws, the message is not kept, and its client gets
  ///         `caf::sec::runtime_error` with the exception's text.
  /// @thread that of the message's sender
  std::function<std::size_t(const caf::message&)> weight_of{};

  /// Is called for each message that reaches no child. The reason is `stopped` if the address had
  /// kept the message, `dropped` if there was no room for it, and `rejected` if the child is on
  /// another node that cannot get it. It must not block.
  ///
  /// @errors if it throws, a line on the error stream has the letter.
  /// @thread that of the message's sender or of the supervisor; several calls may run at a time
  std::function<void(const DeadLetter&)> on_dead_letter{};
};

/// Returns everything that is wrong with a buffer.
BACKOFF_ACTOR_EXPORT Problems check(const ChildBuffer& buffer);

/// An address of a child. It stays the same when the child is restarted.
///
///     ChildRef cache{system};
///     ChildSpec{.id = "cache", .make = child_of<Cache>(), .address = cache}
///
/// A message to `actor()` goes to the actor that the child has then, without a hop, and keeps its
/// sender. The child answers the client directly. If an actor crashes, the messages in its mailbox
/// are lost, as with any actor; CAF answers the requests among them. If you must not lose a
/// message, send it to a `BackOffSender`, which may be the child.
///
/// The child may have no actor, or one that takes no more messages. Then a request is answered with
/// `SupervisorError::no_child`, and a plain send is counted as undelivered. With a buffer,
/// messages are kept instead, before the first actor, too, and go to the next actor in order.
/// Meanwhile, threads that send others wait. If there is no room, a request is answered with
/// `SenderError::outbox_full` or `SenderError::dropped`. Nothing is kept for a child that stays
/// down, or whose supervisor ends: what was kept is answered with `no_child`, until the child is
/// started again. CAF's own messages are never kept.
///
/// A copy is the same address. The address does not keep the supervisor alive. It lets go of an
/// actor as soon as the supervisor notices that the actor has ended. Do not monitor `actor()`: it
/// goes down with the last copy of the address, not with the child.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT ChildRef {
public:
  /// Makes a new address, without an actor, that keeps nothing.
  explicit ChildRef(caf::actor_system& system);

  /// Makes a new address, without an actor, that keeps messages while there is none.
  ///
  /// @errors throws `InvalidArgument` naming every field that `check` finds wrong.
  ChildRef(caf::actor_system& system, ChildBuffer buffer);

  /// Returns the address as an actor handle; never invalid.
  const caf::actor& actor() const { return address_; }

  /// Returns the present actor of the child; invalid if there is none.
  caf::actor current() const;

  /// Returns how many messages it keeps.
  std::size_t kept() const;

  /// Returns how many plain sends reached no actor.
  std::uint64_t undelivered() const;

  /// Sets the present actor, which first gets what was kept. It returns when all of that is in the
  /// actor's mailbox. For supervisors.
  void point_to(const caf::actor& child);

  /// Removes this actor if it is the present one; keeps any other. For supervisors.
  void leave(const caf::actor& child);

  /// Keeps messages again: an actor will come. For supervisors.
  void expect_actor();

  /// Gives up what is kept, and keeps nothing, until there is an actor or one is expected. Does
  /// nothing if there is one. Returns how many messages it gave up. For supervisors.
  std::size_t close();

  /// Returns true if both are the same address.
  friend bool operator==(const ChildRef& a, const ChildRef& b) { return a.target_ == b.target_; }

private:
  class Target;

  std::shared_ptr<Target> target_;
  caf::actor address_;
};

} // namespace backoff_actor
