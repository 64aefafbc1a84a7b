#pragma once

#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "backoff_actor/supervision/pool_options.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace backoff_actor {

// Send each of these as a request or by a plain send. The answer to a plain send is a plain send.
// The actor obeys an anonymous message and does not answer it. `Stop` is in a file of its own,
// because supervisors obey it, too.

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

/// Tells a sender to end all delays now: those of the child and those of single deliveries. A wait
/// for the rate of the guard goes on. Answered with `SenderStatus`, after that was done.
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

/// Tells a sender with a pool to have another number of workers of one kind from now on. Those that
/// are missing are made at once. Those that are too many finish what they hold, and leave. Answered
/// with `SenderStatus`, after that has begun; `PoolStatus` shows how far it is.
struct Resize {
  WorkerCount workers{};  ///< as in `PoolOptions`
  std::uint32_t kind = 0; ///< 0: those of the sender's factory; 1 and above: `PoolOptions::others`
};

/// Tells a worker of a pool to take nothing more, to finish what it holds, and to leave. If there
/// are then too few, another is made. Answered with `SenderStatus`, after that has begun.
struct RetireWorker {
  std::uint32_t worker = 0; ///< its number, as in `WorkerStatus`
};

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
  /// Deliveries still owed; 0 if the sender ended, because it gave up the rest.
  std::uint64_t left = 0;
};

/// Tells a sender that a message is not to be worked on any more. A message that waits is gone. If
/// a child has it, the child is told by `Cancelled`, and any answer of the child about it ends it;
/// a `Sent` in time still counts. A child that has not answered after
/// `RareSenderOptions::kill_grace` is told to end, as one that hangs. Nobody is charged with that.
/// The client of the message gets `SenderError::cancelled`.
///
/// Answered with `CancelAnswer`. With a durable outbox the answer comes once it is stored what
/// becomes of the message: then it holds beyond the life of the process.
///
/// @errors a request that names no message, or both ways, is answered with
///         `caf::sec::invalid_argument`. If as many orders as `SenderOptions::capacity` wait for
///         rows of other programs: `SenderError::outbox_full`
struct Cancel {
  std::string idempotency_key{}; ///< of the message; empty: `delivery` says which
  std::uint64_t delivery = 0;    ///< its number, see `Accepted::id`; 0: the key says which
  bool wants_letter = false;     ///< the message becomes a dead letter, `cancelled`
};

/// Returns all that is wrong with it.
BACKOFF_ACTOR_EXPORT Problems check(const Cancel& cancel);

/// Puts another payload in the place of that of a message that waits. The message keeps its number,
/// its keys, its place, its time, its deadline and its clients, who get the answer to the new
/// payload. It has not failed any more. A delay that runs goes on.
///
/// Answered with `CancelAnswer`, `waiting`: the new payload stands there. With a durable outbox the
/// answer comes once that is stored, and no child gets the new payload before. With any other
/// answer, and with any error, the message is as it was.
///
/// @errors a request that names no message or both ways, or whose payload is larger than
///         `RareSenderOptions::capacity_bytes`, is answered with `caf::sec::invalid_argument`. If
///         there is no room for the larger payload now, or as for `Cancel`:
///         `SenderError::outbox_full`. If it cannot be stored: `not_storable` or `not_stored`
struct Replace {
  std::string idempotency_key{}; ///< of the message; empty: `delivery` says which
  std::uint64_t delivery = 0;    ///< its number, see `Accepted::id`; 0: the key says which
  caf::message payload{};        ///< what the child gets, as `Submit::message`
};

/// Returns all that is wrong with it, whatever the payload is.
BACKOFF_ACTOR_EXPORT Problems check(const Replace& replace);

/// Where a message was when it was cancelled, or when its payload was to be replaced.
enum class CancelFound : std::uint8_t {
  unknown, ///< the sender knows no such message, or not any more
  waiting, ///< no child had it: it is gone, or has the new payload
  /// A child has it. If it is cancelled, it ends with the next answer of the child, or with the
  /// child. Its payload stays.
  in_work,
  done, ///< it was acknowledged before; by its number: it has ended before, somehow
  /// This process does not own the outbox, or the message is a row that waits for its time. The
  /// order was handed over as a row, which the owner reads.
  passed_on,
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(CancelFound found);

/// A sender's answer to `Cancel` and to `Replace`.
struct CancelAnswer {
  CancelFound found = CancelFound::unknown; ///< where the message was
};

/// Asks a sender what has become of a message, and changes nothing. Answered with `AskAnswer`.
///
/// A sender answers from its memory, at once. What it does not know there it looks for in its
/// durable outbox, behind what the outbox writes now. A process that stands by answers by the rows
/// of the outbox. By its key a message is found at once. By its number it takes time in proportion
/// to what is owed.
///
/// @errors a request that names no message, or both ways, is answered with
///         `caf::sec::invalid_argument`. If the outbox cannot be read: with
///         `caf::sec::runtime_error`, which says why
struct Ask {
  std::string idempotency_key{}; ///< of the message; empty: `delivery` says which
  std::uint64_t delivery = 0;    ///< its number, see `Accepted::id`; 0: the key says which

  /// How long the answer may wait until the message is done or dead. Meanwhile the sender is asked
  /// again and again, each second at least, so the answer may come a second late. That ends with
  /// the client, but not with the timeout of its request.
  ///
  /// @range 0 and above; 0: the answer comes at once
  Duration within{0};
};

/// Returns all that is wrong with it.
BACKOFF_ACTOR_EXPORT Problems check(const Ask& ask);

/// A sender's answer to `Ask`.
struct AskAnswer {
  /// What has become of the message. A sender without a durable outbox remembers no dead letters:
  /// then it is `unknown`. So is what is done and was asked for by its number.
  MessageState state = MessageState::unknown;

  std::uint64_t delivery = 0; ///< its number; 0: it has none yet, or it is done

  /// How long it is so: since it was submitted or, once its time has come, since then; since it was
  /// handed over or, with `WorksOn::many`, its child has last said `Working`; since it was
  /// acknowledged or given up.
  Duration age{0};

  std::uint32_t attempts = 0; ///< failed attempts

  /// How long until a child may get it: until its time, or the end of a delay. Nothing: no child
  /// waits for a time, or it does not wait.
  std::optional<Duration> next_try_in{};

  std::string child{};           ///< in work: the address of the child, as text
  std::uint32_t incarnation = 0; ///< of the child that has it, or had it last; 0: not known
  std::string note{};            ///< the last one of its child, see `Working::note`
  std::string why{};             ///< why it is dead: the reason, and the cause

  /// The child's answer to what is done, if it was kept, see `RareSenderOptions`. Empty: it was
  /// not, or was too large.
  caf::message answer{};
  std::uint64_t answer_bytes = 0; ///< of the answer, also if it was too large; 0: none was kept
};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, Status& x) { return compat::object(f, x, "backoff_actor::Status"); }
auto inspect(auto& f, CurrentChild& x) {
  return compat::object(f, x, "backoff_actor::CurrentChild");
}
auto inspect(auto& f, ChildHandle& x) {
  return compat::object(f, x, "backoff_actor::ChildHandle", compat::field("child", x.child),
                        compat::field("incarnation", x.incarnation));
}
auto inspect(auto& f, RetryNow& x) { return compat::object(f, x, "backoff_actor::RetryNow"); }
auto inspect(auto& f, Reset& x) { return compat::object(f, x, "backoff_actor::Reset"); }
auto inspect(auto& f, Pause& x) { return compat::object(f, x, "backoff_actor::Pause"); }
auto inspect(auto& f, Resume& x) { return compat::object(f, x, "backoff_actor::Resume"); }
auto inspect(auto& f, Resize& x) {
  return compat::object(f, x, "backoff_actor::Resize", compat::field("least", x.workers.least),
                        compat::field("most", x.workers.most), compat::field("kind", x.kind));
}
auto inspect(auto& f, RetireWorker& x) {
  return compat::object(f, x, "backoff_actor::RetireWorker", compat::field("worker", x.worker));
}
auto inspect(auto& f, Drain& x) {
  return compat::object(f, x, "backoff_actor::Drain", compat::field("within", x.within));
}
auto inspect(auto& f, Drained& x) {
  return compat::object(f, x, "backoff_actor::Drained", compat::field("left", x.left));
}
auto inspect(auto& f, Cancel& x) {
  return compat::object(
    f, x, "backoff_actor::Cancel", compat::field("idempotency_key", x.idempotency_key),
    compat::field("delivery", x.delivery), compat::field("wants_letter", x.wants_letter));
}
auto inspect(auto& f, Replace& x) {
  return compat::object(f, x, "backoff_actor::Replace",
                        compat::field("idempotency_key", x.idempotency_key),
                        compat::field("delivery", x.delivery), compat::field("payload", x.payload));
}
auto inspect(auto& f, CancelAnswer& x) {
  return compat::object(f, x, "backoff_actor::CancelAnswer", compat::enum_field("found", x.found));
}
auto inspect(auto& f, Ask& x) {
  return compat::object(f, x, "backoff_actor::Ask",
                        compat::field("idempotency_key", x.idempotency_key),
                        compat::field("delivery", x.delivery), compat::field("within", x.within));
}
auto inspect(auto& f, AskAnswer& x) {
  return compat::object(
    f, x, "backoff_actor::AskAnswer", compat::enum_field("state", x.state),
    compat::field("delivery", x.delivery), compat::field("age", x.age),
    compat::field("attempts", x.attempts), compat::field("next_try_in", x.next_try_in),
    compat::field("child", x.child), compat::field("incarnation", x.incarnation),
    compat::field("note", x.note), compat::field("why", x.why), compat::field("answer", x.answer),
    compat::field("answer_bytes", x.answer_bytes));
}
auto inspect(auto& f, ActorName& x) {
  return compat::object(f, x, "backoff_actor::ActorName", compat::field("kind", x.kind),
                        compat::field("number", x.number));
}
auto inspect(auto& f, SenderCounters& x) {
  return std::apply(
    [&](const auto&... one) {
      return compat::object(f, x, "backoff_actor::SenderCounters",
                            compat::field(one.key, x.*one.member)...);
    },
    detail::sender_counters);
}
auto inspect(auto& f, WorkerCount& x) {
  return compat::object(f, x, "backoff_actor::WorkerCount", compat::field("least", x.least),
                        compat::field("most", x.most));
}
auto inspect(auto& f, WorkerStatus& x) {
  return compat::object(f, x, "backoff_actor::WorkerStatus", compat::field("number", x.number),
                        compat::field("kind", x.kind), compat::enum_field("state", x.state),
                        compat::field("incarnation", x.incarnation),
                        compat::field("holds", x.holds), compat::field("may_hold", x.may_hold),
                        compat::field("due_in", x.due_in), compat::field("retries", x.retries));
}
auto inspect(auto& f, KindStatus& x) {
  return compat::object(f, x, "backoff_actor::KindStatus", compat::field("workers", x.workers),
                        compat::field("held_by_service_for", x.held_by_service_for));
}
auto inspect(auto& f, PoolStatus& x) {
  return compat::object(f, x, "backoff_actor::PoolStatus", compat::field("workers", x.workers),
                        compat::field("kinds", x.kinds), compat::field("ready", x.ready));
}
auto inspect(auto& f, SenderStatus& x) {
  return std::apply(
    [&](const auto&... one) {
      return compat::object(
        f, x, "backoff_actor::SenderStatus", compat::field("name", x.name),
        compat::enum_field("phase", x.phase), compat::field(one.key, x.*one.member)...,
        compat::optional_enum_field("held_back_by", x.held_back_by),
        compat::field("incarnation", x.incarnation), compat::field("due_in", x.due_in),
        compat::field("retries", x.retries), compat::field("total_retries", x.total_retries),
        compat::field("resets", x.resets), compat::field("last_delay", x.last_delay),
        compat::field("unstored", x.unstored), compat::field("oldest_age", x.oldest_age),
        compat::field("nothing_succeeded_for", x.nothing_succeeded_for),
        compat::field("unanswered_failures", x.unanswered_failures),
        compat::field("counters", x.counters), compat::field("pool", x.pool),
        compat::field("store_notices", x.store_notices));
    },
    std::tuple_cat(detail::sender_flags, std::tuple{detail::sender_restarts},
                   detail::sender_gauges));
}
/// @}

} // namespace backoff_actor
