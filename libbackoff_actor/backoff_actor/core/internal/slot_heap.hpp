#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace backoff_actor {

/// Slots of an outbox, each with a key. The slot with the least key comes first. A slot is in the
/// heap at most once.
///
/// A binary heap that knows the place of each slot. So any slot can be erased in logarithmic time,
/// and the heap holds no stale entries. It needs four bytes for each slot up to the highest one
/// pushed so far, and memory for each slot that it holds. A large heap gives its memory back when
/// it becomes empty.
///
/// @shape  Key: ordered by `<`, small.
/// @errors none but `std::bad_alloc`, from `push`.
template <class Key>
class SlotHeap {
public:
  /// The index of a slot in the outbox.
  using Slot = std::uint32_t;

  /// Whether it holds no slot.
  bool empty() const { return nodes_.empty(); }

  /// How many slots it holds.
  std::size_t size() const { return nodes_.size(); }

  /// Whether it holds this slot.
  bool contains(Slot slot) const { return slot < positions_.size() && positions_[slot] != 0; }

  /// The slot with the least key. The heap must not be empty.
  Slot top() const { return nodes_.front().second; }

  /// The least key. The heap must not be empty.
  const Key& top_key() const { return nodes_.front().first; }

  /// The key of a slot. The heap must hold the slot.
  const Key& key_of(Slot slot) const { return nodes_[positions_[slot] - 1].first; }

  /// Returns the slots that it holds, in no order.
  std::vector<Slot> slots() const {
    std::vector<Slot> result;
    result.reserve(nodes_.size());
    for (const auto& [key, slot] : nodes_)
      result.push_back(slot);
    return result;
  }

  /// Adds a slot. The heap must not hold it yet.
  void push(Slot slot, Key key) {
    if (slot >= positions_.size())
      positions_.resize(slot + 1);
    nodes_.emplace_back(key, slot);
    positions_[slot] = static_cast<std::uint32_t>(nodes_.size());
    rise(nodes_.size() - 1);
  }

  /// Removes the slot with the least key. The heap must not be empty.
  void pop() { erase(top()); }

  /// Removes a slot if the heap holds it.
  void erase(Slot slot) {
    if (!contains(slot))
      return;
    const std::size_t hole = positions_[slot] - 1;
    positions_[slot] = 0;
    const auto last = nodes_.size() - 1;
    if (hole != last) {
      put(hole, nodes_[last]);
      nodes_.pop_back();
      rise(hole);
      sink(hole);
    } else {
      nodes_.pop_back();
    }
    if (nodes_.empty() && positions_.size() > kept_size)
      *this = {};
  }

private:
  static constexpr std::size_t kept_size = 1024; // slots; an empty heap frees the memory of more

  using Node = std::pair<Key, Slot>;

  void put(std::size_t place, Node node) {
    nodes_[place] = node;
    positions_[node.second] = static_cast<std::uint32_t>(place + 1);
  }

  void rise(std::size_t place) {
    const auto node = nodes_[place];
    while (place > 0 && node.first < nodes_[(place - 1) / 2].first) {
      put(place, nodes_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, node);
  }

  void sink(std::size_t place) {
    const auto node = nodes_[place];
    for (auto child = 2 * place + 1; child < nodes_.size(); child = 2 * place + 1) {
      if (child + 1 < nodes_.size() && nodes_[child + 1].first < nodes_[child].first)
        ++child;
      if (!(nodes_[child].first < node.first))
        break;
      put(place, nodes_[child]);
      place = child;
    }
    put(place, node);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> positions_; // by slot: the place in `nodes_`, counted from 1; 0: none
};

} // namespace backoff_actor
