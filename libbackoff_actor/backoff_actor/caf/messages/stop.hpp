#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>

namespace backoff_actor {

/// Tells a sender or a supervisor to end. Send it as a request or by a plain send, as any other
/// command.
///
/// Without a grace, a sender hands over nothing more, and refuses new messages (`draining`). It
/// asks its child to end, and takes the answers that the child still gives. When the child has
/// ended, the sender suspends the deliveries still owed in its durable outbox; without one they
/// become dead letters, `stopped`. The sender then answers with `SenderStatus`, phase `stopped`,
/// and terminates normally. If the child has not ended after `SenderOptions::kill_grace`, the
/// sender kills it; after the same time again the sender ends without it. A supervisor ends its
/// children one after the other, the last first, gives each the time of its spec, and answers with
/// `ChildCounts`.
///
/// With a grace, deliveries in flight are finished first. At once a sender refuses new messages,
/// hands over nothing more, and retries nothing: a delivery that fails now stays owed. A delivery
/// that waits is not in flight, and neither is one whose deadline has passed. As soon as nothing is
/// in flight, the sender ends as above.
///
/// A supervisor with a grace starts and restarts nothing any more. All senders below it finish at
/// the same time, through any number of supervisors. When all have, the tree ends in the order
/// above. The answer is `Stopped`.
struct Stop {
  /// The time for all that, from now. A child that is still there when it is over is killed. If it
  /// does not end within its parent's `kill_grace`, the parent abandons it, or waits for it if
  /// `after_grace` says so. Children of a supervisor have this time in place of
  /// `ChildOptions::shutdown` and `ChildOptions::start_timeout`, unless `shutdown` is
  /// `Shutdown::at_once`. If somebody sends several `Stop`s, the least time counts, and each is
  /// answered.
  ///
  /// @range 0 or less: no grace. `Duration::max()`: no limit.
  Duration grace{0};
};

/// The answer to a `Stop` with a grace: what became of the deliveries of the sender, or of all
/// senders below the supervisor, from the time when they were told to the end. If a supervisor
/// below is killed because it is stuck itself, the senders below that one are not counted. So the
/// `kill_grace` of a sender should be at most three times that of the supervisors above it: they
/// give it that time to end its child.
struct Stopped {
  std::uint64_t acknowledged = 0; ///< deliveries that were acknowledged
  std::uint64_t suspended = 0;    ///< deliveries that stay owed in a durable outbox
  /// Deliveries that became dead letters, for whatever reason, and messages that a `ChildRef` kept.
  std::uint64_t dead_lettered = 0;

  /// Children that were killed and did not end in time. Those that had been abandoned before, and
  /// were still alive when the `Stop` came, count too: the actor system waits for them.
  std::uint32_t abandoned = 0;

  /// Adds those of another sender or supervisor.
  Stopped& operator+=(const Stopped& other) {
    acknowledged += other.acknowledged;
    suspended += other.suspended;
    dead_lettered += other.dead_lettered;
    abandoned += other.abandoned;
    return *this;
  }

  /// Whether all numbers are the same.
  friend bool operator==(const Stopped&, const Stopped&) = default;
};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, Stop& x) {
  return compat::object(f, x, "backoff_actor::Stop", compat::field("grace", x.grace));
}
auto inspect(auto& f, Stopped& x) {
  return compat::object(
    f, x, "backoff_actor::Stopped", compat::field("acknowledged", x.acknowledged),
    compat::field("suspended", x.suspended), compat::field("dead_lettered", x.dead_lettered),
    compat::field("abandoned", x.abandoned));
}
/// @}

} // namespace backoff_actor
