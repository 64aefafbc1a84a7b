#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// A message for a sender, with how it is to be delivered:
/// `Submit{.message = caf::make_message(order), .time_to_live = 30s, .key = customer}`.
///
/// It is answered as the bare message would be, unless `answer_when_accepted`.
struct Submit {
  caf::message message{}; ///< what the child gets; any, even one that is a word of the sender's own

  /// How long from now it may wait for its acknowledgement before it is given up, `expired`; at
  /// once, if that is 0 or less. `Duration::max()`: what `SenderOptions::time_to_live` says.
  Duration time_to_live = Duration::max();

  /// Those with the same are kept in order by `Ordering::per_key`. Empty: what
  /// `SenderOptions::key_of` says.
  std::string key{};

  /// Makes one delivery of all submissions with the same: one that comes while the first is owed
  /// joins it, and gets its answer, or is refused if the sender holds as much as it may
  /// (`SenderOptions::capacity`); one that comes within `SenderOptions::idempotency_retention`
  /// after it was acknowledged is answered `SenderError::already_acknowledged`. With a durable outbox
  /// that holds beyond the life of the process. Empty: every submission is a delivery of its own.
  std::string idempotency_key{};

  /// Answers `Accepted` as soon as the message is accepted, and then nothing more: neither what the
  /// child answers nor that it was given up. A message that is not accepted is answered with an
  /// error all the same.
  bool answer_when_accepted = false;
};

/// A sender's answer to `Submit::answer_when_accepted`.
struct Accepted {
  std::uint64_t id = 0; ///< counts the deliveries of this sender, or of its durable outbox, from 1
};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Submit& x) {
  return seam::object(f, x, "backoff_actor::Submit", seam::field("message", x.message),
                      seam::field("time_to_live", x.time_to_live), seam::field("key", x.key),
                      seam::field("idempotency_key", x.idempotency_key),
                      seam::field("answer_when_accepted", x.answer_when_accepted));
}

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, Accepted& x) {
  return seam::object(f, x, "backoff_actor::Accepted", seam::field("id", x.id));
}

} // namespace backoff_actor
