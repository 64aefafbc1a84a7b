#include "backoff_actor/delivery/internal/delivery_slots.hpp"

#include <algorithm>

namespace backoff_actor {

DeliverySlots::Slot DeliverySlots::push(std::uint64_t id, Instant now) {
  auto slot = free_;
  if (slot == none) {
    slot = static_cast<Slot>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[slot].next;
  }
  auto& entry = entries_[slot];
  entry.delivery = {};
  entry.delivery.id = id;
  entry.delivery.submitted_at = now;
  entry.used = true;
  come_last(slot);
  ++size_;
  most_used_ = used_ == 0 ? 1 : std::max(most_used_, used_ + 1);
  ++used_;
  return slot;
}

void DeliverySlots::come_last(Slot slot) {
  auto& entry = entries_[slot];
  entry.next = none;
  entry.previous = back_;
  (back_ == none ? front_ : entries_[back_].next) = slot;
  back_ = slot;
}

void DeliverySlots::make_ghost(Slot slot) {
  leave_order(slot);
  --size_;
  entries_[slot].delivery.is_ghost = true;
}

void DeliverySlots::give_back_if_large() {
  if (entries_.size() <= kept_size)
    return;
  std::vector<Entry>{}.swap(entries_); // an assignment would keep the memory
  free_ = none;
}

} // namespace backoff_actor
