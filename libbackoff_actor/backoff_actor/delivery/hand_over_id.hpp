#pragma once

#include <compare>
#include <cstdint>

namespace backoff_actor {

/// Names one hand-over of one delivery: the slot of the outbox that holds the delivery, and a tag.
/// The first of a delivery is the outbox's count of hand-overs, and each goes on by one. So an answer finds its delivery in constant time, and an
/// answer to an earlier hand-over, or to an earlier delivery of the slot, is known as such.
///
/// It fits into 59 bits, because the actor layer carries it inside CAF's request ids.
struct HandOverId {
  /// The width of the tag, which takes the low bits.
  static constexpr unsigned tag_bits = 31;

  /// The width of the slot, which takes the bits above the tag.
  static constexpr unsigned slot_bits = 28;

  /// The bits of a tag; counts of hand-overs go round beyond them.
  static constexpr std::uint32_t tag_mask = (std::uint32_t{1} << tag_bits) - 1;

  /// How many slots can be told apart.
  static constexpr std::uint32_t max_slots = std::uint32_t{1} << slot_bits;

  /// Slot and tag in one number; what `TrackedMsg::id` is the encrypted form of.
  std::uint64_t value = 0;

  /// Returns the id of a slot and a tag.
  ///
  /// @range `slot < max_slots`, not checked; of `tag` the low `tag_bits` count.
  static constexpr HandOverId make(std::uint32_t slot, std::uint32_t tag) {
    return {std::uint64_t{slot} << tag_bits | (tag & tag_mask)};
  }

  /// Which slot; at or above `max_slots` only in an id that `make` did not make.
  constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(value >> tag_bits); }
  /// Which of the outbox's hand-overs.
  constexpr std::uint32_t tag() const { return static_cast<std::uint32_t>(value) & tag_mask; }

  /// Orders by slot, then by tag; for use as a key, as neither says which came first.
  friend constexpr auto operator<=>(const HandOverId&, const HandOverId&) = default;
};

} // namespace backoff_actor
