#pragma once

// Messages that the library's actors send to themselves and to each other; not for users.

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <vector>

namespace backoff_actor {

/// An actor's message to itself: look at the clock, a timer may be due.
struct WakeUp {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, WakeUp& x) { return compat::object(f, x, "backoff_actor::WakeUp"); }

/// A guard's message to a sender: the guard was closed by hand.
struct GuardClosed {
  Duration spread{0}; ///< the time over which the waiting actors spread their next calls
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, GuardClosed& x) {
  return compat::object(f, x, "backoff_actor::GuardClosed", compat::field("spread", x.spread));
}

/// A durable outbox's message to its writer or its reader: there is something to do.
struct GoOn {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, GoOn& x) { return compat::object(f, x, "backoff_actor::GoOn"); }

/// A message of the writer or the reader to itself: a sleep is over.
struct SleepOver {
  std::uint64_t sleep_id = 0; ///< which one
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, SleepOver& x) {
  return compat::object(f, x, "backoff_actor::SleepOver", compat::field("sleep_id", x.sleep_id));
}

/// A durable outbox's message to its sender: the store has said something.
struct StoreNews {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, StoreNews& x) { return compat::object(f, x, "backoff_actor::StoreNews"); }

/// A durable outbox's message to its sender: rows of other programs have come in, or all have.
struct IncomingNews {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, IncomingNews& x) {
  return compat::object(f, x, "backoff_actor::IncomingNews");
}

/// A message to the sender of a shared outbox: all rows that are committed now come before later
/// messages.
struct CatchUp {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, CatchUp& x) { return compat::object(f, x, "backoff_actor::CatchUp"); }

/// An operator's message to a sender: an order waits to be answered.
struct OperatorNews {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, OperatorNews& x) {
  return compat::object(f, x, "backoff_actor::OperatorNews");
}

/// A message to the actor that waits for a child: the outcome of the start is ready.
struct StartNews {
  std::uint64_t start = 0; ///< the number of the start
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, StartNews& x) {
  return compat::object(f, x, "backoff_actor::StartNews", compat::field("start", x.start));
}

/// A supervisor's request to a sender or a supervisor that is its child: begin nothing new, and
/// finish what is in flight. Answered with `Stopped` when the child ends. Only a supervisor in the
/// same process is obeyed.
struct FinishWork {
  Instant until = Instant::never(); ///< the end of the grace, on the actor system's clock
  bool ends = false;                ///< the child's turn to end has come
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, FinishWork& x) {
  return compat::object(f, x, "backoff_actor::FinishWork",
                        compat::field("until", x.until.since_origin),
                        compat::field("ends", x.ends));
}

/// A child's message to its supervisor, after `FinishWork`: nothing is in flight any more.
struct WorkFinished {};

/// Shows CAF that the message has no parts.
auto inspect(auto& f, WorkFinished& x) {
  return compat::object(f, x, "backoff_actor::WorkFinished");
}

/// A request to another node for a worker.
struct WorkerRequest {
  caf::actor guard{};       ///< of the node that asks; the worker ends when this actor does
  caf::message arguments{}; ///< of the worker
  /// The ids of earlier guards of that node. They have ended, and the node that was frozen or cut
  /// off may not know it yet: it ends their workers before it makes this one.
  std::vector<std::uint64_t> over{};
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, WorkerRequest& x) {
  return compat::object(f, x, "backoff_actor::WorkerRequest", compat::field("guard", x.guard),
                        compat::field("arguments", x.arguments), compat::field("over", x.over));
}

} // namespace backoff_actor
