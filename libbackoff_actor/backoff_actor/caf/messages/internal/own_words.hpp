#pragma once

// Inside of the actors; not for their users. What they say to themselves and to each other.

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>

namespace backoff_actor {

/// A sender's word to itself: look at the clock.
struct WakeUp {};

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, WakeUp& x) {
  return seam::object(f, x, "backoff_actor::WakeUp");
}

/// A guard's word to a sender: it was closed by hand.
struct GuardClosed {
  Duration spread{0}; ///< over how long those who wait are to come back
};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, GuardClosed& x) {
  return seam::object(f, x, "backoff_actor::GuardClosed", seam::field("spread", x.spread));
}

/// A durable outbox's word to its writer: write what waits.
struct WriteNow {
  /// Instead of a sleep: there is nobody who will send another word.
  static constexpr std::uint64_t sender_is_gone = ~std::uint64_t{0};

  std::uint64_t sleep_id = 0; ///< of the sleep that is over; 0: none is
};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, WriteNow& x) {
  return seam::object(f, x, "backoff_actor::WriteNow", seam::field("sleep_id", x.sleep_id));
}

/// A durable outbox's word to its sender: there is news of what was to be stored.
struct StoreNews {};

/// Shows CAF that the message has no parts.
template <class Inspector>
auto inspect(Inspector& f, StoreNews& x) {
  return seam::object(f, x, "backoff_actor::StoreNews");
}

/// The word of a start to whoever waits for it: there is news.
struct StartNews {
  std::uint64_t start = 0; ///< which start
};

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, StartNews& x) {
  return seam::object(f, x, "backoff_actor::StartNews", seam::field("start", x.start));
}

} // namespace backoff_actor
