#pragma once

// Inside of the engine; not for its users.

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/internal/slot_heap.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/delivery/internal/hand_over_order.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor {

struct OwnRetries;

/// The deliveries of one sender: whose turn it is, when each expires, and how much they are in all.
///
///     push --> waiting --hand_over--> in flight --leave_ghost--> ghost
///                 |  <---give_back---     |                        |
///              remove                remove_in_flight         remove_ghost
///
/// Between any two calls:
///  - A delivery is owed or a ghost. A ghost is with a child, or keeps its place until its end is
///    stored; it counts for nothing.
///  - A delivery with a child is in the list of exactly one lane. The caller keeps the lists, and
///    passes the right one.
///  - `owed()` sums up all owed deliveries, and `in_flight()` those of them that are with a child.
///  - Only owed deliveries have a deadline, a failure, or joined clients.
///
/// @shape  a slot that is passed in must hold a delivery of the kind that the function names.
/// @errors none but `std::bad_alloc`
/// @thread one at a time.
class Backlog {
public:
  using Slot = DeliverySlots::Slot;

  /// How full the outbox is. Each client that joined counts as one more delivery.
  struct Fill {
    std::size_t deliveries;
    std::uint64_t bytes;
  };

  struct NewDelivery {
    std::uint64_t id; // above all before it
    Instant submitted_at;
    std::uint64_t key;
    std::uint32_t weight;
    std::uint32_t attempts; // failed ones; not 0: it counts as a retry
    bool is_stored;
  };

  Backlog(Ordering ordering, std::uint32_t last_tag)
    : outbox_(last_tag), order_(outbox_, ordering) {}

  Backlog(const Backlog&) = delete; // `turns_` refers to `outbox_`
  Backlog& operator=(const Backlog&) = delete;

  // -- what is there ----------------------------------------------------------------

  const Delivery& operator[](Slot slot) const { return outbox_[slot]; }
  bool has_slot() const { return outbox_.has_room(); }
  bool holds(Slot slot, std::uint64_t id) const { return outbox_.holds(slot, id); }
  bool is_vacant() const { return outbox_.is_vacant(); }
  bool is_worth_its_room() const { return outbox_.is_worth_its_room(); }
  bool empty() const { return outbox_.empty(); }
  std::uint32_t last_tag() const { return outbox_.last_tag(); }

  /// Without the clients that joined.
  std::size_t size() const { return outbox_.size(); }
  std::uint32_t size_in_flight() const { return in_flight_; }
  std::size_t ghosts() const { return outbox_.ghosts() - order_.kept_places(); } // with a child
  std::size_t unstored() const { return unstored_; }

  Fill owed() const { return {outbox_.size() + joined_, bytes_}; }
  Fill in_flight() const { return {in_flight_ + joined_, bytes_in_flight_}; }

  /// The owed deliveries in order of submission; `DeliverySlots::none` behind the last. In strict
  /// order, what is scheduled keeps its place. Otherwise it has none before its time, and then
  /// comes last.
  Slot front() const { return outbox_.front(); }
  Slot after(Slot slot) const { return outbox_.next(slot); }

  Slot after_in_list(Slot slot) const { return outbox_.next_in_list(slot); }

  /// The owed delivery or ghost that had this hand-over; `DeliverySlots::none` if there is none.
  Slot find(HandOverId id) const { return outbox_.find(id); }
  bool is_latest(Slot slot, HandOverId id) const { return outbox_.is_latest(slot, id); }
  HandOverId last_hand_over(Slot slot) const { return outbox_.last_hand_over(slot); }

  /// The oldest owed delivery that no child holds; if all of these are scheduled, the one whose
  /// time comes first. There must be one.
  // Remembers its place, so that later calls do not pass over deliveries in flight again.
  Slot oldest_waiting() {
    auto& slot = no_older_waits_;
    if (slot == DeliverySlots::none)
      slot = outbox_.front();
    while (slot != DeliverySlots::none && outbox_[slot].place == Place::in_flight)
      slot = outbox_.next(slot);
    return slot != DeliverySlots::none ? slot : order_.first_put_off();
  }

  // -- a delivery comes -------------------------------------------------------------

  /// Appends a delivery. There must be a slot.
  [[gnu::always_inline]] Slot push(const NewDelivery& x) {
    const auto slot = outbox_.push(x.id, x.submitted_at);
    auto& delivery = outbox_[slot];
    delivery.key = x.key;
    delivery.weight = x.weight;
    delivery.attempts = x.attempts;
    delivery.is_unstored = !x.is_stored;
    unstored_ += x.is_stored ? 0U : 1U;
    bytes_ += x.weight;
    order_.add(slot);
    if (x.attempts != 0 && outbox_[slot].place == Place::fresh) {
      order_.take(slot);
      order_.give_back(slot);
    }
    return slot;
  }

  /// Notes that the store has the delivery. Returns whether that is news.
  bool mark_stored(Slot slot) {
    const auto was_unstored = bool{outbox_[slot].is_unstored};
    outbox_[slot].is_unstored = false;
    unstored_ -= was_unstored ? 1U : 0U;
    return was_unstored;
  }

  /// The delivery stays where it came from until it is stored.
  void note_source(Slot slot) { outbox_[slot].has_source = true; }

  /// The owed delivery has no deadline yet.
  void set_deadline(Slot slot, Instant deadline) {
    deadlines_.push(slot, {deadline, outbox_[slot].id});
  }

  /// The owed delivery has no deadline any more.
  void forget_deadline(Slot slot) { deadlines_.erase(slot); }

  /// The deadline of the owed delivery is `at`, unless it is earlier.
  void hasten(Slot slot, Instant at) {
    at = std::min(at, deadline_of(slot));
    deadlines_.erase(slot);
    set_deadline(slot, at);
  }

  /// One more client waits for the owed delivery; with `until_stored`, only until it is stored.
  void join(Slot slot, bool until_stored) {
    auto& extra = extra_of(slot);
    ++extra.joined;
    extra.joined_until_stored += until_stored ? 1 : 0;
    ++joined_;
  }

  /// The clients that waited until the owed delivery is stored wait no longer.
  void end_joins_until_stored(Slot slot) {
    if (const auto found = extras_.find(outbox_[slot].id); found != extras_.end()) {
      const auto told = std::exchange(found->second.joined_until_stored, 0U);
      found->second.joined -= told;
      joined_ -= told;
    }
  }

  // -- time -------------------------------------------------------------------------

  [[gnu::always_inline]] bool is_late(Slot slot, Instant now) const {
    return deadlines_.contains(slot) && deadlines_.key_of(slot).at <= now;
  }

  /// `Instant::never()` if it has none.
  Instant deadline_of(Slot slot) const {
    return deadlines_.contains(slot) ? deadlines_.key_of(slot).at : Instant::never();
  }

  /// The delivery whose deadline has passed first; `DeliverySlots::none` if none has.
  Slot first_late(Instant now) const {
    return !deadlines_.empty() && deadlines_.top_key().at <= now ? deadlines_.top()
                                                                 : DeliverySlots::none;
  }

  void end_pauses(Instant now) { order_.end_pauses(now); }
  void end_all_pauses() { order_.end_all_pauses(); }

  /// When the next deadline passes, the next pause ends, or the next scheduled delivery is due;
  /// `Instant::never()` if there is nothing of it.
  [[gnu::always_inline]] Instant next_due() const {
    const auto pause_end = order_.next_pause_end();
    return deadlines_.empty() ? pause_end : std::min(pause_end, deadlines_.top_key().at);
  }

  // -- to a child and back ------------------------------------------------------------

  /// The delivery whose turn it is; `DeliverySlots::none` if none can be handed over.
  Slot next() const { return order_.next(); }

  /// How many wait for nothing but a child.
  std::size_t size_ready() const { return order_.size_ready(); }

  /// The oldest that was never handed over; `DeliverySlots::none` if there is none that can be.
  Slot next_fresh() const { return order_.next_fresh(); }

  /// Hands over `next()` or `next_fresh()`, and appends it to the lane's list.
  [[gnu::always_inline]] HandOverId hand_over(DeliverySlots::List& list, Slot slot,
                                              std::uint32_t incarnation, std::uint32_t epoch,
                                              Instant now) {
    order_.take(slot);
    const auto name = outbox_.hand_over(slot, incarnation, epoch);
    auto& delivery = outbox_[slot];
    delivery.clock_start = now;
    outbox_.append(list, slot);
    ++in_flight_;
    bytes_in_flight_ += delivery.weight;
    return name;
  }

  /// The child no longer has the owed delivery, which is to be handed over again.
  void give_back(DeliverySlots::List& list, Slot slot) {
    leave_flight(list, slot);
    if (no_older_waits_ != DeliverySlots::none && outbox_[slot].id < outbox_[no_older_waits_].id)
      no_older_waits_ = slot;
    if (!order_.is_by_number())
      no_older_waits_ = DeliverySlots::none;
    order_.give_back(slot);
  }

  /// The delivery that was just pushed is not to be handed over before `at`, which is to come.
  void schedule(Slot slot, Instant at) { order_.schedule(slot, at); }

  std::size_t size_scheduled() const { return order_.size_scheduled(); }

  /// The owed deliveries that are not in the order, in order of their times.
  std::vector<Slot> all_put_off() const { return order_.all_put_off(); }

  /// The delivery that was given back is to be handed over again at `until`.
  void pause(Slot slot, Instant until) { order_.pause(slot, until); }

  /// When its pause ends, or its time comes; `Instant::never()` if it has neither.
  Instant put_off_until(Slot slot) const { return order_.put_off_until(slot); }

  /// Moves the delivery or ghost to the end of the lane's list, and starts its clock again.
  void restart_clock(DeliverySlots::List& list, Slot slot, Instant now) {
    outbox_[slot].clock_start = now;
    outbox_.unlink(list, slot);
    outbox_.append(list, slot);
  }

  // -- what is known of it ------------------------------------------------------------

  void charge(Slot slot) { ++outbox_[slot].attempts; }
  void take_back_charges(Slot slot, std::uint32_t count) { outbox_[slot].attempts -= count; }
  void set_failed(Slot slot) { outbox_[slot].has_failed = true; }
  void set_worker(Slot slot, std::uint16_t worker) { outbox_[slot].worker = worker; }
  void set_held(Slot slot, bool is_held) { outbox_[slot].held = is_held; }
  void set_suspect(Slot slot, bool is_suspect) { outbox_[slot].is_suspect = is_suspect; }
  void set_cancelled(Slot slot, bool wants_letter) {
    outbox_[slot].is_cancelled = true;
    outbox_[slot].wants_letter = wants_letter;
  }

  /// The owed delivery, which no child has, gets another payload.
  ///
  /// @param is_unwritten whether it must not be handed over until `end_replacing`
  void begin_replacing(Slot slot, std::uint32_t weight, bool is_unwritten) {
    set_weight(slot, weight);
    outbox_[slot].is_unwritten = is_unwritten;
    outbox_.forget_hand_overs(slot);
  }

  void end_replacing(Slot slot, std::uint32_t weight) {
    set_weight(slot, weight);
    outbox_[slot].is_unwritten = false;
  }

  /// The owed delivery, which no child has, has not failed.
  void forget_failures(Slot slot) {
    auto& delivery = outbox_[slot];
    delivery.attempts = 0;
    delivery.has_failed = false;
    delivery.is_suspect = false;
    if (const auto own = extras_.find(delivery.id); own != extras_.end()) {
      auto& extra = own->second;
      extra.own_backoff.reset();
      extra.last_failure = nullptr;
      extra.uncharged_since = Instant::never();
      extra.reason = {};
    }
  }

  /// The last failure of the owed delivery; null if it has not failed.
  std::shared_ptr<const Cause> last_failure_of(Slot slot) const {
    const auto own = extras_.find(outbox_[slot].id);
    return own != extras_.end() ? own->second.last_failure : nullptr;
  }

  void set_last_failure(Slot slot, std::shared_ptr<const Cause> cause) {
    extra_of(slot).last_failure = std::move(cause);
  }

  /// Since when the owed delivery fails without a charge; `Instant::never()`: it does not.
  Instant& uncharged_since(Slot slot) { return extra_of(slot).uncharged_since; }

  /// The class of the owed delivery's last failure; none: not known.
  FailureReason reason_of(Slot slot) const {
    const auto own = extras_.find(outbox_[slot].id);
    return own != extras_.end() ? own->second.reason : FailureReason{};
  }

  void set_reason(Slot slot, FailureReason reason) { extra_of(slot).reason = reason; }

  /// How the owed delivery is retried; null: as its sender says.
  const OwnRetries* own_retries_of(Slot slot) const {
    if (extras_.empty())
      return nullptr;
    const auto own = extras_.find(outbox_[slot].id);
    return own != extras_.end() ? own->second.own_retries.get() : nullptr;
  }

  void set_own_retries(Slot slot, std::shared_ptr<const OwnRetries> retries) {
    extra_of(slot).own_retries = std::move(retries);
  }

  /// The child of the owed delivery has left a note. The driver keeps it.
  void set_has_note(Slot slot) {
    auto& extra = extra_of(slot);
    with_note_ += extra.has_note ? 0U : 1U;
    extra.has_note = true;
  }

  bool has_note(Slot slot) const {
    const auto own = extras_.find(outbox_[slot].id);
    return own != extras_.end() && own->second.has_note;
  }

  std::size_t size_with_note() const { return with_note_; }

  /// How far the owed delivery's own backoff is; none: it has not begun.
  std::optional<Progress>& own_backoff_of(Slot slot) { return extra_of(slot).own_backoff; }

  // -- a delivery ends ----------------------------------------------------------------

  /// The owed delivery, which no child has, ends.
  void remove(Slot slot) {
    leave_owed(slot);
    order_.remove(slot);
    outbox_.erase(slot);
  }

  /// The same, but its end is not stored yet: a ghost keeps its place, if others could overtake it.
  void leave_place(Slot slot) {
    leave_owed(slot);
    if (order_.keep_place(slot)) {
      outbox_.forget_hand_overs(slot);
      return outbox_.make_ghost(slot);
    }
    order_.remove(slot);
    outbox_.erase(slot);
  }

  bool keeps_place(Slot slot) const { return outbox_[slot].is_ghost && outbox_[slot].is_unwritten; }

  /// The end of the ghost, which keeps its place, is stored.
  void remove_place(Slot slot) {
    order_.leave_place(slot);
    outbox_.erase(slot);
  }

  /// The owed delivery ends, and the child no longer has it.
  [[gnu::always_inline]] void remove_in_flight(DeliverySlots::List& list, Slot slot) {
    leave_owed(slot);
    order_.remove(slot);
    leave_flight(list, slot);
    outbox_.erase(slot);
  }

  /// The owed delivery ends, and the child still has it. Its key stays taken.
  void leave_ghost(Slot slot) {
    leave_owed(slot);
    --in_flight_;
    bytes_in_flight_ -= outbox_[slot].weight;
    outbox_.make_ghost(slot);
  }

  /// The child no longer has the ghost.
  void remove_ghost(DeliverySlots::List& list, Slot slot) {
    order_.remove(slot);
    outbox_.unlink(list, slot);
    outbox_.erase(slot);
  }

  /// The sender has ended: frees the memory of the deliveries. Nothing but `size` may follow.
  void clear() { outbox_ = DeliverySlots{}; }

private:
  // What few deliveries have: those that failed, were refused, were joined, have own retries, or a
  // note.
  struct Extra {
    std::optional<Progress> own_backoff{};
    std::shared_ptr<const Cause> last_failure{};
    Instant uncharged_since = Instant::never();
    std::shared_ptr<const OwnRetries> own_retries{};
    FailureReason reason{};
    std::uint32_t joined = 0;              // clients that wait for it, besides the first
    std::uint32_t joined_until_stored = 0; // of these
    bool has_note = false;
  };

  // Of one that no child has.
  void set_weight(Slot slot, std::uint32_t weight) {
    bytes_ += weight;
    bytes_ -= std::exchange(outbox_[slot].weight, weight);
  }

  Extra& extra_of(Slot slot) { return extras_[outbox_[slot].id]; }

  void leave_owed(Slot slot) {
    if (no_older_waits_ == slot)
      no_older_waits_ = outbox_.next(slot);
    deadlines_.erase(slot);
    if (!extras_.empty())
      forget_extra(outbox_[slot].id);
    bytes_ -= outbox_[slot].weight;
  }

  void leave_flight(DeliverySlots::List& list, Slot slot) {
    outbox_.unlink(list, slot);
    --in_flight_;
    bytes_in_flight_ -= outbox_[slot].weight;
  }

  void forget_extra(std::uint64_t id) {
    const auto extra = extras_.find(id);
    if (extra == extras_.end())
      return;
    joined_ -= extra->second.joined;
    with_note_ -= extra->second.has_note ? 1U : 0U;
    extras_.erase(extra);
  }

  DeliverySlots outbox_;
  HandOverOrder order_;
  // The number breaks ties, so that the order does not depend on slots.
  struct Deadline {
    Instant at;
    std::uint64_t number;

    auto operator<=>(const Deadline&) const = default;
  };
  SlotHeap<Deadline> deadlines_{};
  std::unordered_map<std::uint64_t, Extra> extras_{}; // by delivery
  std::uint32_t joined_ = 0;                          // of all extras
  std::uint32_t with_note_ = 0;                       // extras
  std::size_t unstored_ = 0;
  std::uint64_t bytes_ = 0; // of what is owed
  std::uint64_t bytes_in_flight_ = 0;
  std::uint32_t in_flight_ = 0;               // owed; ghosts are not
  Slot no_older_waits_ = DeliverySlots::none; // nothing before it waits; `none`: not known
};

} // namespace backoff_actor
