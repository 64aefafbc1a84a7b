#pragma once

// What a sender and a child that acknowledges explicitly say to each other.

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <utility>

namespace backoff_actor {

/// What a child that acknowledges explicitly is handed: the client's message, with what is needed
/// to confirm it and to answer.
struct TrackedMsg {
  /// Names this hand-over of this delivery; goes back in the child's word. It is the right to speak of
  /// the delivery: nobody can guess it.
  std::uint64_t id = 0;
  caf::message payload{}; ///< what the client sent
  caf::actor client{};    ///< who sent it; invalid for an anonymous message

  /// The number of the delivery in its sender, the same at every hand-over; with a durable outbox also in
  /// the sender's next life.
  ///
  /// @range 1 and above
  std::uint64_t delivery = 0;

  /// Which of its sender's children it is handed to: 1, 2, 3 ...
  std::uint32_t incarnation = 0;

  /// Names the sender: hand-overs with the same `origin` and `delivery` are of the same delivery, see
  /// `SenderOptions::origin`. A child whose memory outlives a failure knows by them what it has done
  /// before, see `Deduplicator`.
  ///
  /// @range 1 and above
  std::uint64_t origin = 0;
};

/// A child's word that a delivery is done. Return it from the handler of `TrackedMsg`, or send it
/// to the sender at any later time. Whoever was given the `TrackedMsg` may send it: the child, an actor that the
/// child delegated it to, or an earlier child.
///
/// @errors an `id` that names no delivery which is owed is reported as
///         `event::UnknownAcknowledgement`, and nothing else comes of it.
struct Sent {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery

  /// What the client gets. If empty, a client that made a request gets an empty response, and one
  /// that used a plain send gets nothing.
  caf::message answer{};
};

/// Returns what confirms a delivery and answers its client with `answer`, which may be nothing.
template <class... Ts>
Sent sent(const TrackedMsg& delivery, Ts&&... answer) {
  return {delivery.id, caf::make_message(std::forward<Ts>(answer)...)};
}

/// A child's word that a delivery cannot be done now: it is charged one attempt, and retried after
/// the backoff. Return it from the handler of `TrackedMsg`, or send it to the sender later.
///
/// @errors an `id` must name the last hand-over of a delivery to the present child. The sender reports any
///         other as `event::UnknownAcknowledgement` and ignores it.
struct Nack {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery
  caf::error error{};   ///< why; may say when to come back, see `retry_after`

  /// How long the service asked to be left alone, from now. 0: it did not say, other than perhaps
  /// in the error.
  ///
  /// @range 0 and above; less counts as 0
  Duration retry_after{0};
};

/// A child's word that a delivery will never be done: it becomes a dead letter, `rejected`. Return
/// it from the handler of `TrackedMsg`, or send it to the sender later.
///
/// @errors an `id` must name the last hand-over of a delivery to the present child. The sender reports any
///         other as `event::UnknownAcknowledgement` and ignores it.
struct Reject {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery
  caf::error error{};   ///< what the client gets
};

/// A child's word that it is still at it: the time to acknowledge begins anew. Send it to the
/// sender.
///
/// @errors an `id` must name the last hand-over of a delivery to the present child. The sender reports any
///         other as `event::UnknownAcknowledgement` and ignores it.
struct Working {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery
};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, TrackedMsg& x) {
  return seam::object(f, x, "backoff_actor::TrackedMsg", seam::field("id", x.id),
                      seam::field("payload", x.payload), seam::field("client", x.client),
                      seam::field("delivery", x.delivery),
                      seam::field("incarnation", x.incarnation), seam::field("origin", x.origin));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Sent& x) {
  return seam::object(f, x, "backoff_actor::Sent", seam::field("id", x.id),
                      seam::field("answer", x.answer));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Nack& x) {
  return seam::object(f, x, "backoff_actor::Nack", seam::field("id", x.id),
                      seam::field("error", x.error), seam::field("retry_after", x.retry_after));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Reject& x) {
  return seam::object(f, x, "backoff_actor::Reject", seam::field("id", x.id),
                      seam::field("error", x.error));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Working& x) {
  return seam::object(f, x, "backoff_actor::Working", seam::field("id", x.id));
}

} // namespace backoff_actor
