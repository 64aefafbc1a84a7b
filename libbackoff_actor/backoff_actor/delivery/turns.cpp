#include "backoff_actor/delivery/turns.hpp"

namespace backoff_actor {

void Turns::add(Slot slot) {
  if (fresh_ == Outbox::none)
    fresh_ = slot;
}

bool Turns::is_blocked(Slot slot) const {
  return ordering_ == Ordering::per_key && outbox_[slot].key != 0
         && keys_.contains(outbox_[slot].key);
}

Outbox::Slot Turns::next() {
  while (fresh_ != Outbox::none && outbox_[fresh_].stored && is_blocked(fresh_)) {
    const auto slot = fresh_;
    fresh_ = outbox_.next(slot);
    outbox_[slot].place = Place::blocked;
    outbox_.append(keys_[outbox_[slot].key].blocked, slot);
  }
  const auto fresh = fresh_ != Outbox::none && outbox_[fresh_].stored ? fresh_ : Outbox::none;
  if (ready_.empty() || (fresh != Outbox::none && outbox_[fresh].id < ready_.top_key()))
    return fresh;
  return ready_.top();
}

void Turns::take(Slot slot) {
  auto& delivery = outbox_[slot];
  if (delivery.place == Place::ready) {
    ready_.erase(slot);
  } else {
    fresh_ = outbox_.next(slot);
    if (ordering_ == Ordering::per_key && delivery.key != 0)
      keys_[delivery.key].owner = slot;
  }
  delivery.place = Place::in_flight;
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
  case Place::fresh:
    if (slot == fresh_)
      fresh_ = outbox_.next(slot);
    return;
  case Place::blocked:
    outbox_.unlink(keys_[delivery.key].blocked, slot);
    return;
  case Place::ready:
    ready_.erase(slot);
    break;
  case Place::pausing:
    pauses_.erase(slot);
    break;
  case Place::in_flight:
    break;
  }
  const auto key = keys_.find(delivery.key);
  if (key == keys_.end() || key->second.owner != slot)
    return;
  const auto next = key->second.blocked.first;
  if (next == Outbox::none) {
    keys_.erase(key);
    return;
  }
  outbox_.unlink(key->second.blocked, next);
  key->second.owner = next;
  give_back(next);
}

} // namespace backoff_actor
