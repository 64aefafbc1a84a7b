#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace backoff_actor {

/// Slots of an outbox, each with a key. The slot with the least key comes first. A slot is in the
/// heap at most once.
///
/// Of slots with the same key, any may come first. If `ties` is passed, it says whether its first
/// slot comes before its second. It must then be passed each time that the heap changes.
///
/// A binary heap that knows the place of each slot. So any slot can be erased in logarithmic time,
/// and the heap holds no stale entries. It needs four bytes for each slot up to the highest one
/// pushed so far, and memory for each slot that it holds. A heap that held many slots gives its
/// memory back when it becomes empty.
///
/// @shape  Key: ordered by `<`, small, a plain value.
/// @errors none but `std::bad_alloc`, from `push`.
template <class Key>
class SlotHeap {
  static_assert(std::is_trivially_copyable_v<Key>);

public:
  /// The index of a slot in the outbox.
  using Slot = std::uint32_t;

  /// No order of slots with the same key.
  struct NoTies {
    bool operator()(Slot, Slot) const { return false; }
  };

  /// Whether it holds no slot.
  bool empty() const { return nodes_.empty(); }

  /// How many slots it holds.
  std::size_t size() const { return nodes_.size(); }

  /// Whether it holds this slot.
  bool contains(Slot slot) const { return slot < positions_.size() && positions_[slot] != 0; }

  /// The slot with the least key. The heap must not be empty.
  Slot top() const { return nodes_.front().slot; }

  /// The least key. The heap must not be empty.
  Key top_key() const { return nodes_.front().key; }

  /// The key of a slot. The heap must hold the slot.
  Key key_of(Slot slot) const { return nodes_[positions_[slot] - 1].key; }

  /// Returns the slots that it holds, in no order.
  std::vector<Slot> slots() const {
    std::vector<Slot> result;
    result.reserve(nodes_.size());
    for (const auto& node : nodes_)
      result.push_back(node.slot);
    return result;
  }

  /// Adds a slot. The heap must not hold it yet.
  template <class Ties = NoTies>
  void push(Slot slot, Key key, Ties ties = {}) {
    if (slot >= positions_.size())
      positions_.resize(slot + 1);
    nodes_.push_back({key, slot});
    positions_[slot] = static_cast<std::uint32_t>(nodes_.size());
    rise(nodes_.size() - 1, ties);
  }

  /// Removes the slot with the least key. The heap must not be empty.
  void pop() { erase(top()); }

  /// Removes a slot if the heap holds it.
  template <class Ties = NoTies>
  void erase(Slot slot, Ties ties = {}) {
    if (contains(slot))
      take_out(slot, ties);
  }

private:
  static constexpr std::size_t kept_size = 1024; // slots; an empty heap frees the memory of more

// A million messages may wait in a heap: no bytes between the nodes.
#pragma pack(push, 4)
  struct Node {
    Key key;
    Slot slot;
  };
#pragma pack(pop)

  template <class Ties>
  void take_out(Slot slot, Ties ties) {
    const std::size_t hole = positions_[slot] - 1;
    positions_[slot] = 0;
    const auto last = nodes_.size() - 1;
    if (hole != last) {
      put(hole, nodes_[last]);
      nodes_.pop_back();
      rise(hole, ties);
      sink(hole, ties);
    } else {
      nodes_.pop_back();
    }
    // One that never held many would need the memory again for the next slot.
    if (nodes_.empty() && positions_.size() > kept_size
        && 4 * nodes_.capacity() >= positions_.size())
      *this = {};
  }

  void put(std::size_t place, Node node) {
    nodes_[place] = node;
    positions_[node.slot] = static_cast<std::uint32_t>(place + 1);
  }

  // Copies the keys: a node need not be aligned as they are.
  template <class Ties>
  static bool is_before(const Node& x, const Node& y, Ties ties) {
    const Key earlier = x.key;
    const Key later = y.key;
    return earlier < later || (!(later < earlier) && ties(x.slot, y.slot));
  }

  template <class Ties>
  void rise(std::size_t place, Ties ties) {
    const auto node = nodes_[place];
    while (place > 0 && is_before(node, nodes_[(place - 1) / 2], ties)) {
      put(place, nodes_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, node);
  }

  template <class Ties>
  void sink(std::size_t place, Ties ties) {
    const auto node = nodes_[place];
    for (auto child = 2 * place + 1; child < nodes_.size(); child = 2 * place + 1) {
      if (child + 1 < nodes_.size() && is_before(nodes_[child + 1], nodes_[child], ties))
        ++child;
      if (!is_before(nodes_[child], node, ties))
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
