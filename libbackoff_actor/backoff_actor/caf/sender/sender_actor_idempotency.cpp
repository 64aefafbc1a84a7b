// How a sender treats a submission whose idempotency key it knows: the message is not delivered
// again. `IdempotencyKeys` tells which keys those are.

#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"

#include <utility>

namespace backoff_actor {

// Returns the number of the delivery that is owed and has this key; 0: there is none.
std::uint64_t BackOffSender::owed_with_key(const std::string& key) {
  std::uint32_t slot = 0;
  if (key.empty() || keys().state(key, Instant::never(), slot) != IdempotencyKeys::State::owed)
    return 0;
  return parcels_[slot].more().delivery;
}

// Returns true if the key of a submission is known. The submission is then already handled.
bool BackOffSender::is_known(const Submit& x) {
  const auto limit = forget_old_keys();
  std::uint32_t slot = 0;
  switch (keys().state(x.idempotency_key, limit, slot)) {
  case IdempotencyKeys::State::unknown:
    return false;
  case IdempotencyKeys::State::acknowledged:
    take(input::Submit{.refused = Refusal::unusable},
         make_error(SenderError::already_acknowledged));
    return true;
  case IdempotencyKeys::State::owed:
    break;
  }
  if (engine_.is_being_cancelled(slot)) { // it must not be taken for a message that is to be done
    take(input::Submit{.refused = Refusal::unusable}, make_error(SenderError::cancelled));
    return true;
  }
  auto& first = parcels_[slot].more();
  if (!incoming_.client.client) {
    incoming_ = {}; // no client waits for an answer
  } else if (x.answer_when_accepted && first.is_confirmed) {
    auto client = std::exchange(incoming_, {}).client;
    answer_request(client, caf::make_message(Accepted{first.delivery}));
  } else {
    take(input::Join{slot, first.delivery, x.answer_when_accepted});
  }
  return true;
}

IdempotencyKeys& BackOffSender::keys() {
  auto& result = rare().keys;
  if (!result)
    result = std::make_unique<IdempotencyKeys>();
  return *result;
}

void BackOffSender::note_end(const Parcel& parcel, bool is_acknowledged) {
  const auto& key = parcel.extra->idempotency_key;
  if (key.empty())
    return;
  if (parcel.extra->is_run && !parcel.extra->is_confirmed)
    end_run(parcel.extra->delivery, true);
  if (is_acknowledged)
    keys().acknowledge(key, now());
  else
    keys().forget(key);
}

void BackOffSender::note_acknowledged(const Parcel& parcel, const caf::message& answer) {
  note_end(parcel, true);
  if (options().rare.largest_kept_answer != 0 && !parcel.extra->idempotency_key.empty())
    keep_answer(parcel.extra->idempotency_key, answer);
}

// Forgets old keys. Returns the time before which keys count as forgotten.
Instant BackOffSender::forget_old_keys() {
  const auto limit = now() + -options().rare.idempotency_retention;
  if (keys().forget_before(limit) && store_)
    store_->forget_keys(limit); // written with the next commit
  return limit;
}

} // namespace backoff_actor
