// What a sender keeps beyond its own life, and what it knows of its idempotency keys.

#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

BackOffSender::~BackOffSender() = default;

// -- birth and death ------------------------------------------------------------------

// Goes on with what the last sender has left. Returns the highest number that was ever given.
std::uint64_t BackOffSender::restore() {
  auto content = store_->take_content();
  // A clock that was set back meanwhile makes none younger than now: the order would be lost.
  for (auto& key : content.acknowledged)
    keys().acknowledge(key.idempotency_key, std::min(store_->instant(key.at), now()));
  for (auto& x : content.owed) {
    input::Restore news{x.id, x.attempts, x.hand_overs, store_->instant(x.submitted_at)};
    if (x.deadline)
      news.deadline = store_->instant(*x.deadline);
    news.key = number_of(x.key);
    try {
      news.weight = weight_of(x.message);
    } catch (...) {
      // It was accepted once, and that holds whatever it weighs.
    }
    incoming_ = {std::move(x.message), {}, nullptr};
    if (!x.key.empty())
      incoming_.more().key = std::move(x.key);
    if (!x.idempotency_key.empty())
      incoming_.more().idempotency_key = std::move(x.idempotency_key);
    if (incoming_.extra)
      incoming_.extra->is_confirmed = true;
    take(news);
  }
  tell_store_state();
  store_->start(system());
  return content.last_id;
}

void BackOffSender::end_storing() {
  std::vector<AcknowledgedKey> acknowledged;
  if (rare_ && rare_->keys)
    for (const auto& [at, key] : rare_->keys->acknowledged())
      acknowledged.push_back({key, store_->wall_time(at)});
  store_->end(std::move(acknowledged));
  store_ = nullptr;
}

// -- what the store says ----------------------------------------------------------------

void BackOffSender::on_store_news() {
  if (!store_)
    return;
  for (const auto& x : store_->take_outcomes()) {
    if (x.failure)
      take(input::NotPersisted{x.slot, x.id, *x.failure});
    else
      take(input::Persisted{x.slot, x.id});
  }
  if (!store_) // the sender has ended with what was told before
    return;
  for (const auto& x : store_->take_hand_overs()) {
    if (!x.is_over)
      give_to_child(x.hand_over);
    else // its ghost takes room with the child until somebody speaks of it
      take(input::Rejected{x.hand_over.hand_over, Cause{}});
  }
  tell_store_state();
}

void BackOffSender::tell_store_state() {
  auto state = store_->take_state();
  for (auto& notice : state.notices)
    take(input::StoreNotice{std::move(notice)});
  if (state.has_changed)
    take(input::StoreBehind{state.is_behind.has_value(), state.is_behind.value_or(Cause{})});
}

// -- what becomes of a delivery -----------------------------------------------------------

void BackOffSender::store(const effect::Persist& x) {
  const auto& extra = parcels_[x.slot].extra;
  store_->insert(x.slot, x.delivery, now(), extra ? extra->key : "",
                 extra ? extra->idempotency_key : "");
}

void BackOffSender::confirm(const effect::Confirm& x) {
  auto& parcel = parcels_[x.slot];
  if (!parcel.extra)
    return;
  auto& extra = *parcel.extra;
  extra.is_confirmed = true;
  for (auto& client : extra.wait_for_acceptance)
    answer_request(client, caf::make_message(Accepted{x.delivery}));
  extra.wait_for_acceptance.clear();
}

void BackOffSender::suspend(const effect::Suspend& x) {
  auto parcel = std::exchange(parcels_[x.slot], {});
  SuspendedDelivery rest{x.delivery, x.attempts, 0, store_->wall_time(x.submitted_at)};
  if (x.deadline != Instant::never())
    rest.deadline = store_->wall_time(x.deadline);
  if (parcel.extra) {
    rest.key = parcel.extra->key;
    rest.idempotency_key = parcel.extra->idempotency_key;
  }
  rest.message = std::move(parcel.payload);
  store_->suspend(std::move(rest));
  for_each_client(parcel, [this](seam::OpenRequest& client) {
    refuse(client, make_error(SenderError::suspended));
  });
}

// -- idempotency keys ---------------------------------------------------------------------

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
  if (is_acknowledged)
    keys().acknowledge(key, now());
  else
    keys().forget(key);
}

// Whether a submission with the key is another one's: then it is dealt with.
bool BackOffSender::is_known(const Submit& x) {
  const auto limit = forget_old_keys();
  std::uint32_t slot = 0;
  switch (keys().state(x.idempotency_key, limit, slot)) {
  case IdempotencyKeys::State::unknown:
    return false;
  case IdempotencyKeys::State::acknowledged:
    take(input::Submit{.is_unusable = true}, make_error(SenderError::already_acknowledged));
    return true;
  case IdempotencyKeys::State::owed:
    break;
  }
  auto& first = parcels_[slot].more();
  if (!incoming_.client.client) {
    incoming_ = {}; // nobody is to be told
  } else if (x.answer_when_accepted && first.is_confirmed) {
    auto client = std::exchange(incoming_, {}).client;
    answer_request(client, caf::make_message(Accepted{first.delivery}));
  } else {
    take(input::Join{slot, first.delivery, x.answer_when_accepted});
  }
  return true;
}

// Returns before when keys are forgotten.
Instant BackOffSender::forget_old_keys() {
  const auto limit = now() + -options().idempotency_retention;
  if (keys().forget_before(limit) && store_)
    store_->forget_keys(limit); // goes with what comes next, for it is worth no commit of its own
  return limit;
}

} // namespace backoff_actor
