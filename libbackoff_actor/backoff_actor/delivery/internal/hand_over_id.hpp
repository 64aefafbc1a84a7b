#pragma once

#include <compare>
#include <cstdint>

namespace backoff_actor {

/// Names one hand-over of one delivery, by the outbox slot that holds the delivery and by a tag.
/// The outbox counts all hand-overs, and this count is the tag of a delivery's first hand-over. At
/// each redelivery, the delivery's tag grows by one. So the sender finds the delivery of an answer
/// in constant time. It also recognises answers to an earlier hand-over, and to an earlier delivery
/// that had the same slot.
///
/// It fits into 59 bits, because the actor layer carries it inside CAF's request ids.
struct HandOverId {
  /// The width of the tag, which takes the low bits.
  static constexpr unsigned tag_bits = 31;

  /// The width of the slot, which takes the bits above the tag.
  static constexpr unsigned slot_bits = 28;

  /// The bits of a tag; tags wrap around beyond them.
  static constexpr std::uint32_t tag_mask = (std::uint32_t{1} << tag_bits) - 1;

  /// The number of distinct slots.
  static constexpr std::uint32_t max_slots = std::uint32_t{1} << slot_bits;

  /// Slot and tag in one number. `TrackedMsg::id` is its encrypted form.
  std::uint64_t value = 0;

  /// Returns the id of a slot and a tag.
  ///
  /// @range `slot < max_slots`, not checked; of `tag` the low `tag_bits` count.
  static constexpr HandOverId make(std::uint32_t slot, std::uint32_t tag) {
    return {std::uint64_t{slot} << tag_bits | (tag & tag_mask)};
  }

  /// The slot. It is below `max_slots` in every id that `make` returned.
  constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(value >> tag_bits); }
  /// The tag, which tells the hand-overs from one slot apart.
  constexpr std::uint32_t tag() const { return static_cast<std::uint32_t>(value) & tag_mask; }

  /// Orders by slot, then by tag. It is only for use as a key: it says nothing about time.
  friend constexpr auto operator<=>(const HandOverId&, const HandOverId&) = default;
};

} // namespace backoff_actor
