// How deliveries move between the lists and heaps. `next()`, which decides whose turn it is, is in
// the header with the explanation: every hand-over calls it, so it is inline.

#include "backoff_actor/delivery/internal/hand_over_order.hpp"

#include <algorithm>
#include <compare>
#include <vector>

namespace backoff_actor {

namespace {

// A scheduled delivery.
struct Due {
  Instant at;
  std::uint64_t number;
  DeliverySlots::Slot slot;

  auto operator<=>(const Due&) const = default;
};

} // namespace

// Queues the delivery behind the key's owner, if the key has one.
void HandOverOrder::add_to_key(Slot slot) {
  auto& delivery = outbox_[slot];
  const auto [key, is_new] = keys_.try_emplace(delivery.key);
  if (!is_new)
    delivery.place = Place::blocked;
  outbox_.append(is_new ? fresh_ : key->second, slot);
}

// -- scheduled ------------------------------------------------------------------------

void HandOverOrder::schedule(Slot slot, Instant at) {
  outbox_[slot].is_scheduled = true;
  ++scheduled_;
  add_pause(slot, at);
  if (ordering_ == Ordering::strict)
    return;
  leave_turn(slot);
  outbox_[slot].place = Place::scheduled;
  outbox_.put_off(slot);
}

std::vector<HandOverOrder::Slot> HandOverOrder::all_put_off() const {
  std::vector<Due> due;
  for (const auto slot : pauses_.slots())
    if (outbox_[slot].place == Place::scheduled)
      due.push_back({pauses_.key_of(slot), outbox_[slot].id, slot});
  std::sort(due.begin(), due.end());
  std::vector<Slot> result;
  for (const auto& x : due)
    result.push_back(x.slot);
  return result;
}

// Its time has come, or it ends. It is in no heap of pauses any more.
void HandOverOrder::end_schedule(Slot slot) {
  outbox_[slot].is_scheduled = false;
  --scheduled_;
  if (outbox_[slot].place != Place::scheduled)
    return;
  outbox_.come_last(slot);
  is_by_number_ = false;
}

void HandOverOrder::begin_turn(Slot slot) {
  end_schedule(slot);
  auto& delivery = outbox_[slot];
  if (delivery.place != Place::scheduled)
    return;
  if (ordering_ == Ordering::per_key && delivery.key != 0) {
    const auto [key, is_new] = keys_.try_emplace(delivery.key);
    if (!is_new) {
      delivery.place = Place::blocked;
      return outbox_.append(key->second, slot);
    }
  }
  delivery.place = Place::fresh;
  freed_.push(slot, delivery.id);
}

// -- back from a child ----------------------------------------------------------------

void HandOverOrder::give_back(Slot slot) {
  outbox_[slot].place = Place::ready;
  ready_.push(slot, outbox_[slot].id);
}

void HandOverOrder::pause(Slot slot, Instant until) {
  ready_.erase(slot);
  outbox_[slot].place = Place::pausing;
  add_pause(slot, until);
}

// Several may end in one step: by time, and then by number, each comes behind those with its key.
void HandOverOrder::end_pauses(Instant now) {
  while (!pauses_.empty() && pauses_.top_key() <= now) {
    const auto slot = pauses_.top();
    const auto at = pauses_.top_key();
    end_pause(slot);
    if (!outbox_[slot].is_scheduled) {
      give_back(slot);
      continue;
    }
    outbox_[slot].submitted_at = std::max(outbox_[slot].submitted_at, at);
    begin_turn(slot);
  }
}

void HandOverOrder::end_all_pauses() {
  for (const auto slot : pauses_.slots())
    if (!outbox_[slot].is_scheduled) {
      end_pause(slot);
      give_back(slot);
    }
}

// The delivery ends, and is not with a child.
void HandOverOrder::leave(Slot slot) {
  if (outbox_[slot].is_scheduled) {
    end_pause(slot);
    end_schedule(slot);
  }
  leave_turn(slot);
}

void HandOverOrder::leave_turn(Slot slot) {
  const auto& delivery = outbox_[slot];
  switch (delivery.place) {
  case Place::scheduled:
    return; // it is no owner of its key
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
    end_pause(slot);
    break;
  case Place::in_flight:
    break;
  }
  if (!keys_.empty())
    pass_key_on(slot);
}

bool HandOverOrder::keep_place(Slot slot) {
  auto& delivery = outbox_[slot];
  if (ordering_ == Ordering::unordered || delivery.place == Place::scheduled
      || (ordering_ == Ordering::per_key && delivery.key == 0))
    return false;
  if (delivery.is_scheduled) {
    end_pause(slot);
    end_schedule(slot);
  } else if (delivery.place == Place::pausing) {
    end_pause(slot);
    give_back(slot);
  }
  if (ordering_ == Ordering::per_key && delivery.place != Place::blocked)
    take(slot);
  delivery.is_unwritten = true;
  ++kept_;
  return true;
}

// A delivery that is not blocked owns its key; the first blocked one is next.
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
  if (outbox_[next].is_ghost) {
    outbox_[next].place = Place::in_flight;
    return;
  }
  outbox_[next].place = Place::fresh;
  freed_.push(next, outbox_[next].id);
}

} // namespace backoff_actor
