#pragma once

// The messages between a sender and a child that acknowledges explicitly.

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace backoff_actor {

/// The message that a child with `Acknowledgement::by_sent` gets: the client's message, and the ids
/// that the child needs to confirm it.
struct TrackedMsg {
  /// Names this hand-over of this delivery. The child sends it back in its `Sent`, `Nack`, `Reject`
  /// or `Working`. Nobody can guess it: only actors that were given it can acknowledge the
  /// delivery.
  std::uint64_t id = 0;
  caf::message payload{}; ///< what the client sent
  caf::actor client{};    ///< who sent it; invalid for an anonymous message

  /// The number of the delivery in its sender. It is the same at every hand-over; with a durable
  /// outbox it stays the same when the sender is started again.
  ///
  /// @range 1 and above
  std::uint64_t delivery = 0;

  /// Which child of the sender this is, counted from 1.
  std::uint32_t incarnation = 0;

  /// Names the sender, see `RareSenderOptions::origin`. Hand-overs with the same `origin` and
  /// `delivery` belong to the same delivery. A child whose memory outlives a failure uses the two
  /// numbers to recognise deliveries that it has already done, see `Deduplicator`.
  ///
  /// @range 1 and above
  std::uint64_t origin = 0;

  /// The fencing token of the sender's process: higher than that of every process that owned the
  /// outbox before. A service that refuses a lower one than it has seen is safe from a process that
  /// was frozen. 0: no other process can own the outbox, see `spawn_owned_sender`.
  std::uint64_t epoch = 0;

  /// How far the delivery is: the last `Working::note` of a child that had it, in this process or
  /// an earlier one. Empty: none was kept, so begin at the beginning.
  std::string note{};
};

/// Tells the sender that a delivery is done. Return it from the handler of `TrackedMsg`, or send it
/// to the sender at any later time. Every actor that was given the `TrackedMsg` may send it: the
/// child, an actor that the child delegated it to, or an earlier child.
///
/// @errors if the `id` names no owed delivery, the sender reports it as
///         `event::UnknownAcknowledgement` and ignores it.
struct Sent {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery

  /// The answer to the client. If it is empty, a request is answered with an empty response, and a
  /// plain send is not answered.
  caf::message answer{};
};

/// Returns the `Sent` that confirms a delivery and answers its client with `answer`, which may be
/// empty.
template <class... Ts>
Sent sent(const TrackedMsg& delivery, Ts&&... answer) {
  return {delivery.id, caf::make_message(std::forward<Ts>(answer)...)};
}

/// Tells the sender that the child cannot do a delivery now. The sender charges the delivery one
/// attempt, and retries it after the backoff. Return it from the handler of `TrackedMsg`, or send
/// it to the sender later.
///
/// @errors an `id` must name the last hand-over of a delivery to the present child. The sender
///         reports any other as `event::UnknownAcknowledgement` and ignores it.
struct Nack {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery
  caf::error error{};   ///< why; may say when to come back, see `retry_after`

  /// How long from now the service asked not to be called. 0: the service named no time, or the
  /// `error` carries it.
  ///
  /// @range 0 and above; less counts as 0
  Duration retry_after{0};
};

/// Tells the sender that the child will never do a delivery: the delivery becomes a dead letter,
/// `rejected`. Return it from the handler of `TrackedMsg`, or send it to the sender later.
///
/// @errors an `id` must name the last hand-over of a delivery to the present child. The sender
///         reports any other as `event::UnknownAcknowledgement` and ignores it.
struct Reject {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery
  caf::error error{};   ///< what the client gets
};

/// Tells the sender that the child still works on a delivery: `SenderOptions::ack_timeout` starts
/// over. Send it to the sender.
///
/// @errors an `id` must name the last hand-over of a delivery to the present child. The sender
///         reports any other as `event::UnknownAcknowledgement` and ignores it.
struct Working {
  /// How large a note may be, in bytes.
  static constexpr std::size_t largest_note = 64 * 1024;

  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery

  /// How far the work is, in any form: the next child that gets the delivery finds it in its
  /// `TrackedMsg::note`. It replaces the note before; an empty one leaves that as it is. A durable
  /// outbox writes it with its next commit, 100 ms later at the latest. Unlike the sign of life, it
  /// counts until another child has the delivery, also if this one was told to end.
  ///
  /// @range up to `largest_note` bytes
  /// @errors a larger note is not kept, and the one before stays: `event::Hint`, and an error as
  ///         the answer if `Working` came as a request
  std::string note{};
};

/// Tells a child with `Acknowledgement::by_sent` that a delivery which it has is cancelled. It may
/// come more than once, and after the child has answered. The child ends its work, and answers by
/// any message that names the delivery: by `Reject`, if it has stopped in between.
struct Cancelled {
  std::uint64_t id = 0; ///< the `TrackedMsg::id` of the delivery
};

namespace detail {

/// A child's word through `WorkInHand`: it still works on what it was asked by this request.
struct WorkingOn {
  std::uint64_t request = 0; ///< the name of the sender's request, as its id has it
  std::string note{};        ///< as `Working::note`
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, WorkingOn& x) {
  return compat::object(f, x, "backoff_actor::WorkingOn", compat::field("request", x.request),
                        compat::field("note", x.note));
}

/// A child's request through `WorkInHand`: the note of what it was asked by this request. Answered
/// with a string.
struct AskNote {
  std::uint64_t request = 0; ///< as `WorkingOn::request`
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, AskNote& x) {
  return compat::object(f, x, "backoff_actor::AskNote", compat::field("request", x.request));
}

} // namespace detail

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, TrackedMsg& x) {
  return compat::object(f, x, "backoff_actor::TrackedMsg", compat::field("id", x.id),
                        compat::field("payload", x.payload), compat::field("client", x.client),
                        compat::field("delivery", x.delivery),
                        compat::field("incarnation", x.incarnation),
                        compat::field("origin", x.origin), compat::field("epoch", x.epoch),
                        compat::field("note", x.note));
}
auto inspect(auto& f, Sent& x) {
  return compat::object(f, x, "backoff_actor::Sent", compat::field("id", x.id),
                        compat::field("answer", x.answer));
}
auto inspect(auto& f, Nack& x) {
  return compat::object(f, x, "backoff_actor::Nack", compat::field("id", x.id),
                        compat::field("error", x.error),
                        compat::field("retry_after", x.retry_after));
}
auto inspect(auto& f, Reject& x) {
  return compat::object(f, x, "backoff_actor::Reject", compat::field("id", x.id),
                        compat::field("error", x.error));
}
auto inspect(auto& f, Working& x) {
  return compat::object(f, x, "backoff_actor::Working", compat::field("id", x.id),
                        compat::field("note", x.note));
}
auto inspect(auto& f, Cancelled& x) {
  return compat::object(f, x, "backoff_actor::Cancelled", compat::field("id", x.id));
}
/// @}

} // namespace backoff_actor
