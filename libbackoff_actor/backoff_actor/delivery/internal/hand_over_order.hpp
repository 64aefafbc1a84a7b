#pragma once

// Design notes
//
// Decides which delivery is handed over next. A delivery that was never handed over is *scheduled*,
// *blocked* or *fresh*. It is scheduled while its time has not come, and blocked while another
// delivery is the owner of its key. Fresh deliveries are in a list. A delivery that was scheduled
// or blocked before goes into a heap instead, because the list may already hold younger ones. A
// delivery that comes back from a child is *ready* again, or *pausing* first; each kind has a heap.
// The next delivery is the oldest of three: the head of the list of fresh ones, the top of the heap
// of fresh ones, and the top of the heap of ready ones.
//
//     fresh ----> in flight ----> ready or pausing ----> in flight ...
//       ^  ^
//       | blocked, until those before it with the same key have ended
//       |  ^
//     scheduled
//
// What is scheduled is in the heap of pauses. When its time has come, it comes behind those with
// its key. Without a key its number alone counts, so it goes before younger ones. In strict order
// it has its place in the list of fresh ones from the beginning, and holds up all behind it.
//
// A ghost that keeps its place owns its key as if it were in flight, or is blocked. In strict order
// it stays where it is, and holds up all behind it.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/internal/slot_heap.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/delivery/ordering.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace backoff_actor {

/// The order in which the deliveries of an outbox are handed over.
///
/// Every operation takes constant time, or time logarithmic in the number of deliveries that came
/// back or were blocked.
///
/// @shape  the caller reports where each delivery goes; this class keeps `Delivery::place` up to
///         date.
/// @errors none but `std::bad_alloc`
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT HandOverOrder {
public:
  /// As the outbox names its slots.
  using Slot = DeliverySlots::Slot;

  /// Keeps order in `outbox`, which must stay where it is.
  HandOverOrder(DeliverySlots& outbox, Ordering ordering) : outbox_(outbox), ordering_(ordering) {}

  /// A delivery was appended to the outbox.
  void add(Slot slot) {
    if (ordering_ == Ordering::per_key && outbox_[slot].key != 0)
      add_to_key(slot);
    else
      outbox_.append(fresh_, slot);
  }

  /// The delivery that was just added is not handed over before `at`.
  ///
  /// @range `at` is in the future
  void schedule(Slot slot, Instant at);

  /// The scheduled deliveries that have no place in the order of the outbox, in order of their
  /// times.
  std::vector<Slot> all_put_off() const;

  /// The one of these whose time comes first; of several, the oldest.
  ///
  /// @range there is one, and no delivery is pausing
  Slot first_put_off() const { return pauses_.top(); }

  /// Whether the order of the outbox is that of the numbers.
  bool is_by_number() const { return is_by_number_; }

  /// How many deliveries are scheduled: their time has not come.
  std::size_t size_scheduled() const { return scheduled_; }

  /// The delivery whose turn it is; `DeliverySlots::none` if none can be handed over.
  // No delivery overtakes one that is not stored yet.
  Slot next() const {
    auto slot = first_fresh();
    if (!ready_.empty() && (slot == DeliverySlots::none || ready_.top_key() < outbox_[slot].id))
      slot = ready_.top();
    return slot != DeliverySlots::none && outbox_[slot].may_go() ? slot : DeliverySlots::none;
  }

  /// The oldest fresh delivery; `DeliverySlots::none` if there is none, or if it is not stored yet.
  Slot next_fresh() const {
    const auto slot = first_fresh();
    return slot != DeliverySlots::none && outbox_[slot].may_go() ? slot : DeliverySlots::none;
  }

  /// How many deliveries wait for nothing but a child, and for the store.
  std::size_t size_ready() const { return fresh_.count + freed_.size() + ready_.size(); }

  /// The delivery whose turn it is, or the first fresh one, goes to a child.
  void take(Slot slot) {
    if (outbox_[slot].place == Place::ready)
      ready_.erase(slot);
    else
      leave_fresh(slot);
    outbox_[slot].place = Place::in_flight;
  }

  /// A delivery came back from a child, to be handed over again.
  void give_back(Slot slot);

  /// A delivery that came back from a child, or is ready, will be handed over again at `until`.
  void pause(Slot slot, Instant until);

  /// Ends the pauses that are over at `now`, and lets scheduled deliveries take their turn.
  void end_pauses(Instant now);

  /// Ends all pauses now. What is scheduled still waits for its time.
  void end_all_pauses();

  /// When the first pause ends, or the first scheduled delivery takes its turn; `Instant::never()`
  /// if there is neither.
  Instant next_pause_end() const { return pauses_.empty() ? Instant::never() : pauses_.top_key(); }

  /// A delivery ends, wherever it is. Call this before erasing it.
  void remove(Slot slot) {
    if (outbox_[slot].place != Place::in_flight)
      leave(slot);
    else if (!keys_.empty())
      pass_key_on(slot);
  }

  /// The delivery, which no child has, ends, but its end is not stored yet. If others could
  /// overtake it, it keeps its place, so that a process that dies brings it back before them.
  /// Returns whether it does; then the caller makes it a ghost.
  bool keep_place(Slot slot);

  /// The ghost's end is stored. Call this before erasing it.
  void leave_place(Slot slot) {
    --kept_;
    remove(slot);
  }

  /// How many ghosts keep their places.
  std::uint32_t kept_places() const { return kept_; }

  /// When the delivery's pause ends, or its time comes; `Instant::never()` if it has neither.
  Instant put_off_until(Slot slot) const {
    return pauses_.contains(slot) ? pauses_.key_of(slot) : Instant::never();
  }

private:
  Slot first_fresh() const {
    const auto slot = fresh_.first;
    if (!freed_.empty() && (slot == DeliverySlots::none || freed_.top_key() < outbox_[slot].id))
      return freed_.top();
    return slot;
  }

  void leave_fresh(Slot slot) {
    if (!freed_.empty() && freed_.contains(slot))
      freed_.erase(slot);
    else
      outbox_.unlink(fresh_, slot);
  }

  // Of pauses that end at the same time, that of the older delivery comes first.
  bool is_older(Slot x, Slot y) const { return outbox_[x].id < outbox_[y].id; }
  auto by_number() const {
    return [this](Slot x, Slot y) { return is_older(x, y); };
  }

  void add_pause(Slot slot, Instant until) { pauses_.push(slot, until, by_number()); }
  void end_pause(Slot slot) { pauses_.erase(slot, by_number()); }

  void add_to_key(Slot slot);
  void begin_turn(Slot slot);
  void end_schedule(Slot slot);
  void leave(Slot slot);
  void leave_turn(Slot slot);
  void pass_key_on(Slot owner);

  DeliverySlots& outbox_;
  SlotHeap<std::uint64_t> ready_; // by number
  SlotHeap<Instant> pauses_;      // until when; also of what is scheduled
  // By key: the blocked deliveries. They wait for the key's owner, the delivery with this key that
  // came first of those that have not ended.
  std::unordered_map<std::uint64_t, DeliverySlots::List> keys_;
  DeliverySlots::List fresh_;     // of the deliveries with one key, only the owner
  std::uint32_t scheduled_ = 0;   // how many
  SlotHeap<std::uint64_t> freed_; // by number: fresh deliveries that were blocked or scheduled
  Ordering ordering_;
  bool is_by_number_ = true;
  std::uint32_t kept_ = 0; // places of ghosts
};

} // namespace backoff_actor
