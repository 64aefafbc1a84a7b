#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <cstdint>

namespace backoff_actor {

// Each of these may be a request or a plain send. The answer to a plain send is a plain send. A message
// without a sender is obeyed and not answered.

/// Asks a sender how it stands. Answered with `SenderStatus`.
struct Status {};

/// Asks a sender for the child that works now: the fallback, while that works. Answered with
/// `ChildHandle`.
struct CurrentChild {};

/// A sender's answer to `CurrentChild`. What is sent to the child past the sender is not owed to
/// anybody, and another child may have taken its place by then.
struct ChildHandle {
  caf::actor child{};            ///< invalid: none is there
  std::uint32_t incarnation = 0; ///< which one, counted from 1; 0: none is there
};

/// Tells a sender to end all waiting now: the delays of the child and those of single deliveries.
/// Answered with `SenderStatus`, after it was done.
struct RetryNow {};

/// Tells a sender that the child's service is well: the backoff, the restart limit and the time
/// that retries may take begin anew. A delay that runs goes on. Answered with `SenderStatus`, after
/// it was done.
struct Reset {};

/// Tells a sender to hand over nothing more; it still accepts. Answered with `SenderStatus`, after
/// it was done.
struct Pause {};

/// Tells a sender to hand over and to accept again, after `Pause` or `Drain`; drains that are not
/// at their end are answered. Answered with `SenderStatus`, after it was done.
struct Resume {};

/// Tells a sender to accept nothing new, and to say when nothing is owed any more. Answered with
/// `Drained`. Requests that come meanwhile are answered with `SenderError::draining`.
struct Drain {
  /// When to answer at the latest, from now, and to accept again, unless another drain goes on.
  /// `Duration::max()`: never.
  Duration within = Duration::max();
};

/// A sender's answer to `Drain`: nothing is owed any more, or the time is over, or the sender was
/// told to resume, or it ended.
struct Drained {
  std::uint64_t left =
    0; ///< deliveries still owed; 0 if the sender ended, having given up the rest
};

/// Tells a sender to end. It hands over nothing more, refuses what comes (`draining`), asks its child to end, and takes what the child
/// still answers. What is owed when the child has ended becomes dead letters, `stopped`. Then comes the
/// answer, `SenderStatus` with the phase `stopped`, and the sender terminates normally. A child that does not end
/// takes `SenderOptions::kill_grace`, and then is killed; after as much time again the sender ends without it.
struct Stop {};

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, Status& x) {
  return seam::object(f, x, "backoff_actor::Status");
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, CurrentChild& x) {
  return seam::object(f, x, "backoff_actor::CurrentChild");
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, ChildHandle& x) {
  return seam::object(f, x, "backoff_actor::ChildHandle", seam::field("child", x.child),
                      seam::field("incarnation", x.incarnation));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, RetryNow& x) {
  return seam::object(f, x, "backoff_actor::RetryNow");
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, Reset& x) {
  return seam::object(f, x, "backoff_actor::Reset");
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, Pause& x) {
  return seam::object(f, x, "backoff_actor::Pause");
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, Resume& x) {
  return seam::object(f, x, "backoff_actor::Resume");
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Drain& x) {
  return seam::object(f, x, "backoff_actor::Drain", seam::field("within", x.within));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Drained& x) {
  return seam::object(f, x, "backoff_actor::Drained", seam::field("left", x.left));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, Stop& x) {
  return seam::object(f, x, "backoff_actor::Stop");
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, SenderCounters& x) {
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

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, SenderStatus& x) {
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

} // namespace backoff_actor
