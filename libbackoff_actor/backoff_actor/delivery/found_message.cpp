// How a message is found in the rows of a store, and what its row says.

#include "backoff_actor/core/text/internal/note_in_context.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/internal/not_before.hpp"

#include <stdexcept>

namespace backoff_actor {

namespace detail {

FoundMessage found_owed(const StoredDelivery& x) {
  FoundMessage result{MessageState::owed, x.id, x.submitted_at, x.attempts};
  result.note = note_in(x.context);
  try {
    result.not_before = not_before_in(x.context);
  } catch (const std::invalid_argument&) {
    // Its sender will say so.
  }
  return result;
}

FoundMessage found_dead(const StoredDeadLetter& x) {
  FoundMessage result{MessageState::dead, x.delivery.id, x.at, x.delivery.attempts};
  result.note = note_in(x.delivery.context);
  result.why = to_string(x.reason);
  if (!x.cause.empty())
    result.why.append(": ").append(x.cause);
  return result;
}

} // namespace detail

FoundMessage DeliveryStore::find_message(const std::string& idempotency_key,
                                         std::uint64_t delivery) {
  FoundMessage owed;
  FoundMessage done;
  FoundMessage dead;
  const auto is_it = [&](const StoredDelivery& x) {
    return idempotency_key.empty() ? x.id == delivery : x.idempotency_key == idempotency_key;
  };
  for_each_owed([&](const StoredDelivery& x) {
    if (is_it(x))
      owed = detail::found_owed(x);
  });
  if (owed.state != MessageState::unknown)
    return owed;
  if (!idempotency_key.empty())
    for_each_acknowledged_key([&](const AcknowledgedKey& x) {
      if (x.idempotency_key == idempotency_key)
        done = {MessageState::done, 0, x.at};
    });
  if (done.state != MessageState::unknown)
    return done;
  for_each_dead_letter([&](const StoredDeadLetter& x) {
    if (is_it(x.delivery))
      dead = detail::found_dead(x);
  });
  return dead;
}

} // namespace backoff_actor
