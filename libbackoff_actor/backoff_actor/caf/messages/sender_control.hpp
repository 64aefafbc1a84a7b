#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <cstdint>

namespace backoff_actor {

// Send each of these as a request or by a plain send. The answer to a plain send is a plain send.
// The actor obeys an anonymous message and does not answer it.

/// Asks a sender for its status. Answered with `SenderStatus`.
struct Status {};

/// Asks a sender for its present child, or for the fallback while the fallback works. Answered with
/// `ChildHandle`.
struct CurrentChild {};

/// A sender's answer to `CurrentChild`. The sender does not redeliver messages that are sent
/// directly to the child. The sender may also have replaced the child by the time they arrive.
struct ChildHandle {
  caf::actor child{};            ///< invalid: there is no child
  std::uint32_t incarnation = 0; ///< which child, counted from 1; 0: there is no child
};

/// Tells a sender to end all delays now: those of the child and those of single deliveries.
/// Answered with `SenderStatus`, after that was done.
struct RetryNow {};

/// Tells a sender that the child's service is healthy: the backoff, the restart limit and
/// `SenderOptions::max_elapsed` start over. A running delay continues. Answered with
/// `SenderStatus`, after that was done.
struct Reset {};

/// Tells a sender to stop handing over; it still accepts messages. Answered with `SenderStatus`,
/// after that was done.
struct Pause {};

/// Tells a sender to hand over and to accept again, after `Pause` or `Drain`. The sender then
/// answers unfinished drains with `Drained`. Answered with `SenderStatus`, after that was done.
struct Resume {};

/// Tells a sender to accept no new messages, and to answer when it owes nothing any more. Answered
/// with `Drained`. The sender answers requests that come meanwhile with `SenderError::draining`.
struct Drain {
  /// The timeout, from now. The sender then answers, and accepts again unless another drain runs.
  /// `Duration::max()`: no timeout.
  Duration within = Duration::max();
};

/// A sender's answer to `Drain`. The sender owes nothing any more, or the timeout is over, or the
/// sender was told to resume, or it ended.
struct Drained {
  std::uint64_t left =
    0; ///< deliveries still owed; 0 if the sender ended, having given up the rest
};

/// Tells a sender to end. The sender hands over nothing more, refuses new messages (`draining`),
/// asks its child to end, and takes the answers that the child still gives. When the child has
/// ended, the deliveries still owed become dead letters, `stopped`. The sender then answers with
/// `SenderStatus`, phase `stopped`, and terminates normally. If the child has not ended after
/// `SenderOptions::kill_grace`, the sender kills it; after the same time again the sender ends
/// without it.
struct Stop {};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, Status& x) { return seam::object(f, x, "backoff_actor::Status"); }
auto inspect(auto& f, CurrentChild& x) { return seam::object(f, x, "backoff_actor::CurrentChild"); }
auto inspect(auto& f, ChildHandle& x) {
  return seam::object(f, x, "backoff_actor::ChildHandle", seam::field("child", x.child),
                      seam::field("incarnation", x.incarnation));
}
auto inspect(auto& f, RetryNow& x) { return seam::object(f, x, "backoff_actor::RetryNow"); }
auto inspect(auto& f, Reset& x) { return seam::object(f, x, "backoff_actor::Reset"); }
auto inspect(auto& f, Pause& x) { return seam::object(f, x, "backoff_actor::Pause"); }
auto inspect(auto& f, Resume& x) { return seam::object(f, x, "backoff_actor::Resume"); }
auto inspect(auto& f, Drain& x) {
  return seam::object(f, x, "backoff_actor::Drain", seam::field("within", x.within));
}
auto inspect(auto& f, Drained& x) {
  return seam::object(f, x, "backoff_actor::Drained", seam::field("left", x.left));
}
auto inspect(auto& f, Stop& x) { return seam::object(f, x, "backoff_actor::Stop"); }
auto inspect(auto& f, SenderCounters& x) {
  return seam::object(f, x, "backoff_actor::SenderCounters", seam::field("accepted", x.accepted),
                      seam::field("refused", x.refused),
                      seam::field("acknowledged", x.acknowledged),
                      seam::field("dead_lettered", x.dead_lettered),
                      seam::field("hand_overs", x.hand_overs), seam::field("resends", x.resends),
                      seam::field("nacks", x.nacks), seam::field("crashes", x.crashes),
                      seam::field("failed_starts", x.failed_starts), seam::field("hangs", x.hangs),
                      seam::field("forwarded", x.forwarded), seam::field("diverted", x.diverted),
                      seam::field("restored", x.restored), seam::field("suspended", x.suspended));
}
auto inspect(auto& f, SenderStatus& x) {
  return seam::object(
    f, x, "backoff_actor::SenderStatus", seam::enum_field("phase", x.phase),
    seam::field("is_paused", x.is_paused), seam::field("is_held_back", x.is_held_back),
    seam::field("is_store_behind", x.is_store_behind),
    seam::field("is_on_fallback", x.is_on_fallback), seam::field("incarnation", x.incarnation),
    seam::field("restarts", x.restarts), seam::field("abandoned", x.abandoned),
    seam::field("is_delayed", x.is_delayed), seam::field("due_in", x.due_in),
    seam::field("retries", x.retries), seam::field("total_retries", x.total_retries),
    seam::field("resets", x.resets), seam::field("last_delay", x.last_delay),
    seam::field("owed", x.owed), seam::field("unstored", x.unstored),
    seam::field("owed_bytes", x.owed_bytes), seam::field("in_flight", x.in_flight),
    seam::field("ghosts", x.ghosts), seam::field("oldest_age", x.oldest_age),
    seam::field("counters", x.counters), seam::field("store_notices", x.store_notices));
}
/// @}

} // namespace backoff_actor
