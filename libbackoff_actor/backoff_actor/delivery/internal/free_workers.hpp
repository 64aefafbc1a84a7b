#pragma once

// Inside of the engine; not for its users.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace backoff_actor {

/// The workers that can take a delivery, by how many they hold.
///
/// There is a list for each number of deliveries, and a bit for each list that is not empty. So
/// every operation takes constant time, however many workers there are. Among those that hold
/// equally many, the one that has waited longest comes first.
///
/// @errors none but `std::bad_alloc`, from `put`
class FreeWorkers {
public:
  using Index = std::uint16_t;

  /// No worker.
  static constexpr Index none = 0xFFFF;

  /// Whether there is no worker.
  bool empty() const { return size_ == 0; }

  std::size_t size() const { return size_; }

  /// How many workers hold nothing.
  std::size_t idle() const { return idle_; }

  /// The worker that holds the fewest; `none` if there is no worker.
  Index first() const {
    for (std::size_t word = 0; word < not_empty_.size(); ++word)
      if (not_empty_[word] != 0)
        return lists_[word * bits + static_cast<std::size_t>(std::countr_zero(not_empty_[word]))]
          .first;
    return none;
  }

  /// How many the worker holds, which is here.
  std::uint32_t held_by(Index worker) const { return nodes_[worker].held; }

  bool contains(Index worker) const { return worker < nodes_.size() && nodes_[worker].is_here; }

  /// The worker holds `held` deliveries now. If that is what it held before, it keeps its place.
  void put(Index worker, std::uint32_t held) {
    if (contains(worker)) {
      if (nodes_[worker].held == held)
        return;
      take_out(worker);
    }
    make_room(worker, held);
    auto& list = lists_[held];
    nodes_[worker] = {none, list.last, held, true};
    (list.last == none ? list.first : nodes_[list.last].next) = worker;
    list.last = worker;
    not_empty_[held / bits] |= std::uint64_t{1} << held % bits;
    ++size_;
    idle_ += held == 0 ? 1U : 0U;
  }

  /// The worker cannot take a delivery now.
  void take_out(Index worker) {
    if (!contains(worker))
      return;
    auto& node = nodes_[worker];
    auto& list = lists_[node.held];
    (node.previous == none ? list.first : nodes_[node.previous].next) = node.next;
    (node.next == none ? list.last : nodes_[node.next].previous) = node.previous;
    if (list.first == none)
      not_empty_[node.held / bits] &= ~(std::uint64_t{1} << node.held % bits);
    node.is_here = false;
    --size_;
    idle_ -= node.held == 0 ? 1U : 0U;
  }

private:
  static constexpr std::size_t bits = 64; // of a word

  struct Node {
    Index next = none;
    Index previous = none;
    std::uint32_t held = 0;
    bool is_here = false;
  };

  struct List {
    Index first = none;
    Index last = none;
  };

  void make_room(Index worker, std::uint32_t held) {
    if (nodes_.size() <= worker)
      nodes_.resize(worker + std::size_t{1});
    if (lists_.size() <= held)
      lists_.resize(held + std::size_t{1});
    if (not_empty_.size() <= held / bits)
      not_empty_.resize(held / bits + 1);
  }

  std::vector<Node> nodes_;
  std::vector<List> lists_;
  std::vector<std::uint64_t> not_empty_;
  std::size_t size_ = 0;
  std::size_t idle_ = 0;
};

} // namespace backoff_actor
