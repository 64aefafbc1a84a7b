#pragma once

// Inside of the engine; not for its users.

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace backoff_actor {

/// The drains that have not ended. Reading the earliest takes constant time; adding a drain and
/// taking the earliest take logarithmic time. Drains with the same deadline are in order of their
/// tickets.
template <class Drain>
class OpenDrains {
public:
  /// Whether there is none.
  bool empty() const { return heap_.empty(); }

  /// Returns the drain that is to end next.
  ///
  /// @range there must be one
  const Drain& earliest() const { return heap_.front(); }

  /// Adds one.
  void add(const Drain& drain) {
    heap_.push_back(drain);
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }

  /// Removes and returns the drain that is to end next.
  ///
  /// @range there must be one
  Drain take_earliest() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    auto result = std::move(heap_.back());
    heap_.pop_back();
    return result;
  }

private:
  static bool is_later(const Drain& x, const Drain& y) {
    return std::tie(y.deadline, y.ticket) < std::tie(x.deadline, x.ticket);
  }

  std::vector<Drain> heap_;
};

} // namespace backoff_actor
