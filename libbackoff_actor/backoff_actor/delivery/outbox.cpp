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
  ++used_;
  return slot;
}

void Outbox::erase(Slot slot) {
  auto& entry = entries_[slot];
  if (!entry.delivery.is_ghost)
    leave_order(slot);
  entry.used = false;
  entry.next = free_;
  free_ = slot;
  --used_;
  give_back_if_large();
}

void Outbox::make_ghost(Slot slot) {
  leave_order(slot);
  entries_[slot].delivery.is_ghost = true;
}

void Outbox::leave_order(Slot slot) {
  auto& entry = entries_[slot];
  (entry.previous == none ? front_ : entries_[entry.previous].next) = entry.next;
  (entry.next == none ? back_ : entries_[entry.next].previous) = entry.previous;
  --size_;
}

void Outbox::append(List& list, Slot slot) {
  auto& entry = entries_[slot];
  entry.list_next = none;
  entry.list_previous = list.last;
  (list.last == none ? list.first : entries_[list.last].list_next) = slot;
  list.last = slot;
  ++list.count;
}

void Outbox::unlink(List& list, Slot slot) {
  auto& entry = entries_[slot];
  (entry.list_previous == none ? list.first : entries_[entry.list_previous].list_next) =
    entry.list_next;
  (entry.list_next == none ? list.last : entries_[entry.list_next].list_previous) =
    entry.list_previous;
  --list.count;
}

// The tags go on from the highest that there was, so that no id of before is taken for one of after.
void Outbox::give_back_if_large() {
  if (used_ != 0 || entries_.size() <= kept_size)
    return;
  for (const auto& entry : entries_)
    base_tag_ = std::max(base_tag_, entry.tag);
  std::vector<Entry>{}.swap(entries_); // an assignment would keep the memory
  free_ = none;
}

HandOverId Outbox::hand_over(Slot slot, std::uint32_t incarnation, std::uint32_t epoch) {
  auto& entry = entries_[slot];
  entry.tag = (entry.tag + 1) & HandOverId::tag_mask;
  entry.delivery.incarnation = incarnation;
  entry.delivery.epoch = epoch;
  return HandOverId::make(slot, entry.tag);
}

Outbox::Slot Outbox::find(HandOverId id) const {
  const auto slot = id.slot();
  if (slot >= entries_.size())
    return none;
  const auto& entry = entries_[slot];
  if (!entry.used || entry.delivery.incarnation == 0)
    return none;
  // Both distances are counted from the delivery's first hand-over, so that a wrap of the tags is
  // harmless.
  const auto asked = (id.tag() - entry.first_tag) & HandOverId::tag_mask;
  const auto latest = (entry.tag - entry.first_tag) & HandOverId::tag_mask;
  return asked <= latest ? slot : none;
}

} // namespace backoff_actor
