#include "backoff_actor/delivery/outbox.hpp"

#include <algorithm>

namespace backoff_actor {

Outbox::Slot Outbox::push(std::uint64_t id, Instant now) {
  auto slot = free_;
  if (slot == none) {
    slot = static_cast<Slot>(entries_.size());
    entries_.emplace_back().tag = base_tag_;
  } else {
    free_ = entries_[slot].next;
  }
  auto& entry = entries_[slot];
  entry.delivery = {};
  entry.delivery.id = id;
  entry.delivery.submitted_at = now;
  entry.first_tag = (entry.tag + 1) & HandOverId::tag_mask;
  entry.used = true;
  entry.next = none;
  entry.previous = back_;
  (back_ == none ? front_ : entries_[back_].next) = slot;
  back_ = slot;
  ++size_;
  most_used_ = used_ == 0 ? 1 : std::max(most_used_, used_ + 1);
  ++used_;
  return slot;
}

void Outbox::make_ghost(Slot slot) {
  leave_order(slot);
  entries_[slot].delivery.is_ghost = true;
}

// The tags go on from the highest that there was, so that no id of before is taken for one of after.
void Outbox::give_back_if_large() {
  if (entries_.size() <= kept_size)
    return;
  base_tag_ = last_tag();
  std::vector<Entry>{}.swap(entries_); // an assignment would keep the memory
  free_ = none;
}

std::uint32_t Outbox::last_tag() const {
  auto result = base_tag_;
  for (const auto& entry : entries_)
    result = std::max(result, entry.tag);
  return result;
}

} // namespace backoff_actor
