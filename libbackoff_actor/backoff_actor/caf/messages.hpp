#pragma once

#include "backoff_actor/caf/seam.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/sender_error.hpp"

#include <cstdint>
#include <utility>

namespace backoff_actor {

/// What a child that acknowledges explicitly is handed: the client's message, with what is needed
/// to confirm it and to answer.
struct TrackedMsg {
  std::uint64_t id = 0; ///< names this hand-over of this delivery; goes back in `Sent`
  caf::message payload; ///< what the client sent
  caf::actor client;    ///< who sent it; invalid for an anonymous message
};

/// A child's word that a delivery is done. Return it from the handler of `TrackedMsg`, or send it
/// to the sender at any later time.
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

/// A sender's word to itself: look at the clock.
struct WakeUp {};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, TrackedMsg& x) {
  return seam::object(f, x, "backoff_actor::TrackedMsg", seam::field("id", x.id),
                      seam::field("payload", x.payload), seam::field("client", x.client));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Sent& x) {
  return seam::object(f, x, "backoff_actor::Sent", seam::field("id", x.id),
                      seam::field("answer", x.answer));
}

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, WakeUp& x) {
  return seam::object(f, x, "backoff_actor::WakeUp");
}

/// Makes `SenderError` convertible to `caf::error`.
BACKOFF_ACTOR_EXPORT caf::error make_error(SenderError code);

/// Renders any error for people, those of this library included.
using seam::render;

} // namespace backoff_actor

CAF_BEGIN_TYPE_ID_BLOCK(backoff_actor, caf::first_custom_type_id + 7400)
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::TrackedMsg))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Sent))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WakeUp))
CAF_END_TYPE_ID_BLOCK(backoff_actor)
