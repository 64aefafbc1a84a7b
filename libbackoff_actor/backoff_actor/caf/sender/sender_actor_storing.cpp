// How a sender uses a durable outbox.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/core/text/internal/note_in_context.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

BackOffSender::~BackOffSender() = default;

// -- birth and death ------------------------------------------------------------------

// Takes over the deliveries and keys that the last sender left. Returns the highest delivery number
// ever used.
std::uint64_t BackOffSender::restore() {
  auto content = store_->take_content();
  store_->look();
  tell_left_letters();
  tell_sureness();
  // If the clock was set back meanwhile, a key may seem to come from the future. It then counts as
  // acknowledged now, which keeps the keys in order of time.
  for (auto& key : content.acknowledged)
    keys().acknowledge(key.idempotency_key, std::min(store_->instant(key.at), now()));
  for (auto& x : content.owed) {
    if (restore_entry(x))
      continue;
    if (const auto first = owed_with_key(x.idempotency_key)) {
      store_->drop(x.id, now());
      take(input::StoreNotice{"delivery " + std::to_string(x.id) + " has joined delivery "
                              + std::to_string(first) + ", which has the same idempotency key"});
      continue;
    }
    // Nor was a message accepted in the future, and it lives no longer than it was to live.
    const auto submitted_at = store_->instant(x.submitted_at);
    const auto ahead = std::max(submitted_at - now(), Duration::zero());
    input::Restore news{x.id, x.attempts, x.hand_overs, submitted_at + -ahead};
    if (x.deadline)
      news.deadline = store_->instant(*x.deadline) + -ahead;
    news.key = number_of(x.key);
    try {
      news.weight = weight_of(x.message);
    } catch (...) {
      // An earlier sender accepted it, so it stays accepted, even without a weight.
    }
    try {
      // Of retries that another version has written, nothing holds: the options of the sender do.
      news.own = own_in(x.context, ahead, true);
    } catch (const std::invalid_argument&) {
      // It stays accepted, even if nobody can read its time.
    }
    incoming_ = {std::move(x.message), {}, nullptr};
    if (!x.key.empty())
      incoming_.more().key = std::move(x.key);
    if (!x.idempotency_key.empty())
      incoming_.more().idempotency_key = std::move(x.idempotency_key);
    if (!x.context.empty())
      incoming_.more().context = std::move(x.context);
    if (incoming_.extra)
      incoming_.extra->is_confirmed = true;
    take(news);
  }
  for (auto& [delivery, before] : content.unwritten)
    set_payload_again(delivery, std::move(before));
  tell_store_state();
  set_calendar_alarm();
  store_->start(system());
  return content.last_id;
}

// Nobody delivers these by himself, and no number of this sender has them.
void BackOffSender::tell_left_letters() {
  if (!options().on_event)
    return;
  if (const auto left = store_->dead_letters(); left.count != 0)
    tell(event::DeadLettersLeft{now(), store_->outbox_name(), left.count, left.oldest});
}

void BackOffSender::end_storing() {
  std::vector<AcknowledgedKey> acknowledged;
  if (const auto* const rare = rare_if_any(); rare && rare->keys)
    for (const auto& [at, key] : rare->keys->acknowledged())
      acknowledged.push_back({key, store_->key_time(at)});
  store_->end(std::move(acknowledged));
  store_ = nullptr;
}

// -- what the store says ----------------------------------------------------------------

void BackOffSender::on_store_news() {
  if (!store_)
    return;
  store_->look();
  if (!tell_sureness())
    return;
  for (const auto& x : store_->take_outcomes()) {
    if (x.slot == DeliverySlots::none)
      settle_entry(x.id, x.failure);
    else if (x.failure)
      take(input::NotPersisted{x.slot, x.id, *x.failure});
    else
      take(input::Persisted{x.slot, x.id});
  }
  if (!store_) // an outcome has ended the sender
    return;
  if (store_->take_has_refused_rows())
    refuse_held(Refusal::not_stored);
  if (!store_)
    return;
  if (store_->is_doubtful(now())) // what is written down waits for the next answer of the server
    return tell_store_state();
  for (const auto& x : store_->take_hand_overs()) {
    if (!x.is_over)
      give_to_child(x.hand_over);
    else // the child never gets it: this removes its ghost
      take(input::Rejected{x.hand_over.hand_over, Cause{}});
  }
  on_replacements_stored();
  on_cancels_stored();
  tell_store_state();
  if (store_ && store_->has_intake()) { // some came in while the ownership was in doubt
    take_incoming();
    look_at_calendar_if_caught_up();
  }
}

void BackOffSender::on_incoming_news() {
  if (!store_ || !store_->has_intake())
    return;
  store_->take_incoming();
  if (store_->is_doubtful(now()))
    return;
  take_incoming();
  look_at_calendar_if_caught_up();
}

void BackOffSender::on_catch_up() {
  if (store_)
    store_->catch_up();
}

// Tells the engine until when no other process can own the store. Returns false if one does: then
// this sender is about to end, and what it still owes is that process's to deliver.
bool BackOffSender::tell_sureness() {
  const auto sure = store_->take_sure();
  if (!sure || !store_->ownership())
    return true;
  if (!sure->is_lost) {
    take(input::SureUntil{sure->until});
    return store_ != nullptr;
  }
  if (!rare().exit_reason)
    rare().exit_reason = make_error(SenderError::not_owner);
  take(input::Stop{});
  return false;
}

void BackOffSender::tell_store_state() {
  for (auto& notice : store_->take_notices())
    take(input::StoreNotice{std::move(notice)});
  if (!store_)
    return;
  if (auto behind = store_->take_behind())
    take(input::StoreBehind{behind->is_behind, std::move(behind->failure)});
}

// -- what becomes of a delivery -----------------------------------------------------------

void BackOffSender::store(const effect::Persist& x) {
  const auto& extra = parcels_[x.slot].extra;
  store_->insert(x.slot, x.delivery, now(), extra ? extra->key : "",
                 extra ? extra->idempotency_key : "", extra ? extra->context : "");
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
  if (extra.is_run)
    end_run(x.delivery, true);
}

// Only a delivery with a note has it, beside what else its context says.
void BackOffSender::keep_note(const effect::KeepNote& x, const std::string& note) {
  auto& context = parcels_[x.slot].more().context;
  detail::set_note(context, note);
  if (store_)
    store_->set_context(x.delivery, context);
}

void BackOffSender::suspend(const effect::Suspend& x) {
  auto parcel = std::exchange(parcels_[x.slot], {});
  if (parcel.extra && parcel.extra->is_run && !parcel.extra->is_confirmed)
    return leave_run(x.delivery, parcel);
  store_->note_time(now());
  SuspendedDelivery rest{x.delivery, x.attempts, 0, store_->wall_time(x.submitted_at)};
  if (x.deadline != Instant::never())
    rest.deadline = store_->wall_time(x.deadline);
  if (parcel.extra) {
    rest.key = parcel.extra->key;
    rest.idempotency_key = parcel.extra->idempotency_key;
    rest.context = parcel.extra->context;
  }
  rest.message = std::move(parcel.payload);
  if (const auto* const rare = rare_if_any())
    if (const auto found = rare->awaited.find(x.delivery);
        found != rare->awaited.end() && !found->second.replacements.empty())
      store_->note_unwritten(x.delivery, found->second.replacements.front().before);
  store_->suspend(std::move(rest));
  for_each_client(parcel, [this](compat::OpenRequest& client) {
    refuse(client, make_error(SenderError::suspended));
  });
}

} // namespace backoff_actor
