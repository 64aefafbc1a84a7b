// How deliveries move between the lists and heaps. `next()`, which decides whose turn it is, is in
// the header with the explanation: every hand-over calls it, so it is inline.

#include "backoff_actor/delivery/internal/hand_over_order.hpp"

namespace backoff_actor {

// Queues the delivery behind the key's owner, if the key has one.
void HandOverOrder::add_to_key(Slot slot) {
  auto& delivery = outbox_[slot];
  const auto [key, is_new] = keys_.try_emplace(delivery.key);
  if (!is_new)
    delivery.place = Place::blocked;
  outbox_.append(is_new ? fresh_ : key->second, slot);
}

void HandOverOrder::give_back(Slot slot) {
  outbox_[slot].place = Place::ready;
  ready_.push(slot, outbox_[slot].id);
}

void HandOverOrder::pause(Slot slot, Instant until) {
  ready_.erase(slot);
  outbox_[slot].place = Place::pausing;
  pauses_.push(slot, until);
}

void HandOverOrder::end_pauses(Instant now) {
  while (!pauses_.empty() && pauses_.top_key() <= now) {
    const auto slot = pauses_.top();
    pauses_.pop();
    give_back(slot);
  }
}

// The delivery must not be with a child.
void HandOverOrder::leave(Slot slot) {
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

// A delivery that is not blocked owns its key; the oldest blocked one is next.
void HandOverOrder::pass_key_on(Slot owner) {
  const auto key = keys_.find(outbox_[owner].key);
  if (key == keys_.end())
    return;
  auto& blocked = key->second;
  const auto next = blocked.first;
  if (next == DeliverySlots::none) {
    keys_.erase(key);
    return;
  }
  outbox_.unlink(blocked, next);
  outbox_[next].place = Place::fresh;
  freed_.push(next, outbox_[next].id);
}

} // namespace backoff_actor
