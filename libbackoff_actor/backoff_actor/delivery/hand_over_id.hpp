#pragma once

#include <compare>
#include <cstdint>

namespace backoff_actor {

/// Names one hand-over of one delivery: the slot of the outbox that holds the delivery, and a tag
/// that is the slot's count of hand-overs. So an answer finds its delivery in constant time, and an
/// answer to an earlier hand-over, or to an earlier delivery of the slot, is known as such.
///
/// It fits into 59 bits, because the actor layer carries it inside CAF's request ids.
struct HandOverId {
  static constexpr unsigned tag_bits = 31;
  static constexpr unsigned slot_bits = 28;
  static constexpr std::uint32_t tag_mask = (std::uint32_t{1} << tag_bits) - 1;
  static constexpr std::uint32_t max_slots = std::uint32_t{1} << slot_bits;

  std::uint64_t value = 0;

  static constexpr HandOverId make(std::uint32_t slot, std::uint32_t tag) {
    return {std::uint64_t{slot} << tag_bits | (tag & tag_mask)};
  }

  constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(value >> tag_bits); }
  constexpr std::uint32_t tag() const { return static_cast<std::uint32_t>(value) & tag_mask; }

  friend constexpr auto operator<=>(const HandOverId&, const HandOverId&) = default;
};

} // namespace backoff_actor
