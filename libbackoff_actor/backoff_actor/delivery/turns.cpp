#include "backoff_actor/delivery/turns.hpp"

namespace backoff_actor {

void Turns::add(Slot slot) {
  auto& delivery = outbox_[slot];
  if (ordering_ == Ordering::per_key && delivery.key != 0) {
    const auto [key, is_new] = keys_.try_emplace(delivery.key);
    if (!is_new) {
      delivery.place = Place::blocked;
      outbox_.append(key->second, slot);
      return;
    }
  }
  outbox_.append(fresh_, slot);
}

// Nobody overtakes what is not stored yet.
Outbox::Slot Turns::next() const {
  auto slot = first_fresh();
  if (!ready_.empty() && (slot == Outbox::none || ready_.top_key() < outbox_[slot].id))
    slot = ready_.top();
  return slot != Outbox::none && outbox_[slot].stored ? slot : Outbox::none;
}

Outbox::Slot Turns::next_fresh() const {
  const auto slot = first_fresh();
  return slot != Outbox::none && outbox_[slot].stored ? slot : Outbox::none;
}

void Turns::take(Slot slot) {
  if (outbox_[slot].place == Place::ready)
    ready_.erase(slot);
  else
    leave_fresh(slot);
  outbox_[slot].place = Place::in_flight;
}

Outbox::Slot Turns::first_fresh() const {
  const auto slot = fresh_.first;
  if (!freed_.empty() && (slot == Outbox::none || freed_.top_key() < outbox_[slot].id))
    return freed_.top();
  return slot;
}

void Turns::leave_fresh(Slot slot) {
  if (freed_.contains(slot))
    freed_.erase(slot);
  else
    outbox_.unlink(fresh_, slot);
}

void Turns::give_back(Slot slot) {
  outbox_[slot].place = Place::ready;
  ready_.push(slot, outbox_[slot].id);
}

void Turns::pause(Slot slot, Instant until) {
  ready_.erase(slot);
  outbox_[slot].place = Place::pausing;
  pauses_.push(slot, until);
}

void Turns::end_pauses(Instant now) {
  while (!pauses_.empty() && pauses_.top_key() <= now) {
    const auto slot = pauses_.top();
    pauses_.pop();
    give_back(slot);
  }
}

void Turns::remove(Slot slot) {
  const auto& delivery = outbox_[slot];
  switch (delivery.place) {
  case Place::blocked:
    outbox_.unlink(keys_.at(delivery.key), slot);
    return;
  case Place::fresh:
    leave_fresh(slot);
    break;
  case Place::ready:
    ready_.erase(slot);
    break;
  case Place::pausing:
    pauses_.erase(slot);
    break;
  case Place::in_flight:
    break;
  }
  if (!keys_.empty())
    pass_key_on(slot);
}

// Whoever of a key is not blocked owns it.
void Turns::pass_key_on(Slot owner) {
  const auto key = keys_.find(outbox_[owner].key);
  if (key == keys_.end())
    return;
  auto& blocked = key->second;
  const auto next = blocked.first;
  if (next == Outbox::none) {
    keys_.erase(key);
    return;
  }
  outbox_.unlink(blocked, next);
  outbox_[next].place = Place::fresh;
  freed_.push(next, outbox_[next].id);
}

} // namespace backoff_actor
