#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/internal/hand_over_id.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace backoff_actor {

/// Where a delivery is on its way.
enum class Place : std::uint8_t {
  fresh,     ///< not handed over yet
  ready,     ///< to be handed over again
  blocked,   ///< behind another delivery with the same key
  pausing,   ///< in a backoff of its own
  scheduled, ///< its time has not come; in strict order, such a delivery is `fresh`
  in_flight, ///< with a child
};

/// What the outbox knows of one delivery. The engine's driver keeps payload and client, in the same
/// slot of a table of its own.
struct Delivery {
  std::uint64_t id = 0;          ///< 1, 2, 3 ... in order of submission; never used twice
  Instant submitted_at;          ///< on the driver's time line; once its time has come: since then
  Instant clock_start;           ///< when its wait for an acknowledgement began, if in flight
  std::uint64_t key = 0;         ///< deliveries with the same key stay in order; 0: none
  std::uint32_t incarnation = 0; ///< of the last hand-over; 0: not handed over yet
  std::uint32_t epoch = 0;       ///< that of its lane at the last hand-over
  std::uint32_t attempts = 0;    ///< hand-overs that were charged to this delivery
  std::uint32_t weight = 0;      ///< what it adds to the fill of the outbox
  Place place = Place::fresh;    ///< where it is
  bool held = false;             ///< an error came, and it is not known yet if the child crashed
  bool is_suspect = false;       ///< it may have crashed the child, so it goes alone
  bool is_ghost = false;       ///< it is owed no longer, but a child has it, or it keeps its place
  bool is_unstored : 1 = true; ///< the store has not taken it yet
  bool is_scheduled : 1 = false; ///< its time has not come
  bool has_source : 1 = false;   ///< it stays where it came from until it is stored
  bool has_failed : 1 = false;   ///< this process has seen it fail
  bool is_cancelled : 1 = false; ///< it ends once its child has done with it
  bool wants_letter : 1 = false; ///< if it is cancelled: it becomes a dead letter
  bool is_unwritten : 1 = false; ///< the store has not taken its new payload, or its end, yet
  std::uint16_t worker = 0;      ///< the index of the worker that last had it; the fallback: 1

  /// Whether it may be handed over when it is its turn.
  bool may_go() const { return !(is_unstored || is_scheduled || is_unwritten); }
};

/// The deliveries not yet acknowledged, in order of submission. Those that are put off have no
/// place in the order; each comes last once it is no longer put off.
///
/// A slab of entries, linked in that order. Adding, removing and finding by the id of a
/// hand-over take constant time, whatever the backlog. Memory is allocated only when the slab
/// grows. A slot that is passed in must hold a delivery; this is not checked.
///
/// @errors none but `std::bad_alloc`, from `push`.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT DeliverySlots {
public:
  /// Where a delivery is, from `push` to `erase`. After that, another delivery may use the slot.
  using Slot = std::uint32_t;

  /// No slot.
  static constexpr Slot none = HandOverId::max_slots;

  /// The maximum number of deliveries. It is one less than there are slots, so that the last number
  /// is free for ids that belong to no hand-over.
  static constexpr std::size_t max_size = HandOverId::max_slots - 1;

  /// The most entries that an empty outbox keeps memory for; it frees the memory of a larger
  /// backlog.
  static constexpr std::size_t kept_size = 1024;

  /// Some of the deliveries, in an order of their own, such as those that a child holds or those
  /// that wait for another delivery. A delivery is in at most one list.
  struct List {
    Slot first = none;       ///< the one that was appended first
    Slot last = none;        ///< the one that was appended last
    std::uint32_t count = 0; ///< how many
  };

  /// Holds nothing.
  DeliverySlots() = default;

  /// Holds nothing. Its tags continue from `last_tag` of another outbox, so that no hand-over here
  /// has the same id as one there.
  explicit DeliverySlots(std::uint32_t last_tag) : last_tag_(last_tag & HandOverId::tag_mask) {}

  /// Appends a delivery, not stored yet, and returns its slot.
  ///
  /// @range `has_room()`; not checked.
  Slot push(std::uint64_t id, Instant now);

  /// Removes the delivery in `slot`, which must be in no list. `find` no longer finds its
  /// hand-overs.
  void erase(Slot slot) {
    auto& entry = entries_[slot];
    if (!entry.delivery.is_ghost) {
      leave_order(slot);
      --size_;
    }
    entry.used = false;
    entry.next = free_;
    free_ = slot;
    if (--used_ == 0)
      give_back_if_large();
  }

  /// Takes the delivery in `slot` out of those that are owed, and keeps the slot: a ghost.
  void make_ghost(Slot slot);

  /// Takes the delivery in `slot` out of the order. It stays owed.
  void put_off(Slot slot) { leave_order(slot); }

  /// Puts the delivery in `slot`, which was put off, at the end of the order.
  void come_last(Slot slot);

  /// Appends the delivery in `slot`, which is in no list, to `list`.
  void append(List& list, Slot slot) {
    auto& entry = entries_[slot];
    entry.list_next = none;
    entry.list_previous = list.last;
    (list.last == none ? list.first : entries_[list.last].list_next) = slot;
    list.last = slot;
    ++list.count;
  }

  /// Takes the delivery in `slot` out of `list`, which it is in.
  void unlink(List& list, Slot slot) {
    const auto& entry = entries_[slot];
    (entry.list_previous == none ? list.first : entries_[entry.list_previous].list_next) =
      entry.list_next;
    (entry.list_next == none ? list.last : entries_[entry.list_next].list_previous) =
      entry.list_previous;
    --list.count;
  }

  /// The delivery in `list` that was appended after the one in `slot`; `none` if that is the last.
  Slot next_in_list(Slot slot) const { return entries_[slot].list_next; }

  /// Notes that the delivery in `slot` is handed over, and returns the id of the hand-over. The
  /// same id may come again, but only 2^31 or more hand-overs after the first hand-over of its
  /// delivery.
  ///
  /// @range `incarnation` 1 and above
  HandOverId hand_over(Slot slot, std::uint32_t incarnation, std::uint32_t epoch) {
    auto& entry = entries_[slot];
    last_tag_ = (last_tag_ + 1) & HandOverId::tag_mask;
    if (entry.delivery.incarnation == 0)
      entry.first_tag = entry.tag = last_tag_;
    else
      entry.tag = (entry.tag + 1) & HandOverId::tag_mask;
    entry.delivery.incarnation = incarnation;
    entry.delivery.epoch = epoch;
    return HandOverId::make(slot, entry.tag);
  }

  /// Lets `find` no longer find the hand-overs of the delivery in `slot`, which no child has.
  // Every hand-over counts `last_tag_` up, so the next one has a tag beyond those before it.
  void forget_hand_overs(Slot slot) { entries_[slot].delivery.incarnation = 0; }

  /// Returns the slot of the delivery to which the hand-over `id` belongs. Returns `none` if the
  /// delivery has left, or if there was no such hand-over.
  Slot find(HandOverId id) const {
    const auto slot = id.slot();
    if (slot >= entries_.size())
      return none;
    const auto& entry = entries_[slot];
    if (!entry.used || entry.delivery.incarnation == 0)
      return none;
    // Both distances count from the delivery's first hand-over, so that a wrap of the tags is
    // harmless.
    const auto asked = (id.tag() - entry.first_tag) & HandOverId::tag_mask;
    const auto latest = (entry.tag - entry.first_tag) & HandOverId::tag_mask;
    return asked <= latest ? slot : none;
  }

  /// Whether the delivery `id` is in `slot`, which may be any number.
  bool holds(Slot slot, std::uint64_t id) const {
    return slot < entries_.size() && entries_[slot].used && entries_[slot].delivery.id == id;
  }

  /// The id of the last hand-over of the delivery in `slot`. There must have been one.
  HandOverId last_hand_over(Slot slot) const { return HandOverId::make(slot, entries_[slot].tag); }

  /// Whether `id` names the last hand-over of the delivery in `slot`.
  bool is_latest(Slot slot, HandOverId id) const { return entries_[slot].tag == id.tag(); }

  /// The first delivery in the order; `none` if there is none.
  Slot front() const { return front_; }

  /// The delivery that comes after the one in `slot`; `none` if that is the last.
  Slot next(Slot slot) const { return entries_[slot].next; }

  /// What is known of the delivery in `slot`; the reference holds until the next `push`.
  Delivery& operator[](Slot slot) { return entries_[slot].delivery; }
  /// What is known of the delivery in `slot`; the reference holds until the next `push`.
  const Delivery& operator[](Slot slot) const { return entries_[slot].delivery; }

  /// Whether there is room for one more delivery. Ghosts take room, too.
  bool has_room() const { return used_ < max_size; }

  /// How many deliveries it has memory for.
  std::size_t reserved() const { return entries_.capacity(); }

  /// How many deliveries are owed; ghosts are not.
  std::size_t size() const { return size_; }
  /// Whether nothing is owed.
  bool empty() const { return size_ == 0; }

  /// How many ghosts there are.
  std::size_t ghosts() const { return used_ - size_; }

  /// Whether no slot is in use, not even by a ghost.
  bool is_vacant() const { return used_ == 0; }

  /// True if a vacant outbox has more than a handful of entries, and more than half of them were
  /// used since it was last vacant. Keeping their memory pays off for recurring bursts.
  bool is_worth_its_room() const {
    return entries_.size() > small_size && 2 * most_used_ > entries_.size();
  }

  /// The count of hand-overs, modulo 2^31. The next first hand-over of a delivery has the tag after
  /// it.
  std::uint32_t last_tag() const { return last_tag_; }

private:
  struct Entry {
    Delivery delivery;
    Slot next = none; // in order of submission, or in the list of free slots
    Slot previous = none;
    Slot list_next = none;
    Slot list_previous = none;
    std::uint32_t tag = 0;       // of the delivery's last hand-over
    std::uint32_t first_tag = 0; // of its first hand-over
    bool used = false;
  };

  void leave_order(Slot slot) {
    const auto& entry = entries_[slot];
    (entry.previous == none ? front_ : entries_[entry.previous].next) = entry.next;
    (entry.next == none ? back_ : entries_[entry.next].previous) = entry.previous;
  }

  void give_back_if_large();

  static constexpr std::size_t small_size = 8; // entries; cheap to allocate again

  std::vector<Entry> entries_;
  std::size_t size_ = 0;      // owed deliveries
  std::size_t used_ = 0;      // owed deliveries and ghosts
  std::size_t most_used_ = 0; // the largest `used_` since it was vacant
  std::uint32_t last_tag_ = 0;
  Slot front_ = none;
  Slot back_ = none;
  Slot free_ = none;
};

} // namespace backoff_actor
