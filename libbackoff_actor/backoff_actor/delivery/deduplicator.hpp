#pragma once

// Design notes
//
// A ring holds the remembered deliveries, oldest first. A hash table holds their places in the
// ring: open addressing with linear probing, at most half full. A full ring forgets one delivery
// for each new one. Tombstones would pile up, so emptying a cell moves the cells behind it up
// instead. Ring and table grow with the number of entries, up to what the capacity needs.

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

/// A child's memory of the deliveries that it has done. With it a child does a redelivered message
/// only once, as long as this memory lives. The memory must survive the event that made the sender
/// redeliver: the memory of a child on another node survives a broken link, but a child that the
/// sender restarts begins with an empty memory.
///
///     if (const auto* known = seen_.find(x.origin, x.delivery))
///       return sent(x, *known);
///     seen_.remember(x.origin, x.delivery, answer);
///     return sent(x, answer);
///
/// Call `remember` in the handler that confirms the delivery, and only if the work was done: a
/// refused delivery comes again to be tried again. If one handler begins the work and another one
/// finishes it, the memory does not know the delivery in the time between.
///
/// How large the capacity must be: the child must remember a delivery until its confirmation has
/// reached the sender. The memory also needs room for everything that the child does meanwhile. Let
/// w be the sender's window (`SenderOptions::max_in_flight`, or its default if it is unset).
///
/// - One sender, `Ordering::strict`, without a fallback: 2 w, however often the child or the link
///   fails in a row. The reason is the following. Confirmations arrive in order; if one is lost,
///   all later ones are lost too. So a delivery whose confirmation was lost, and all work that the
///   child did after it, were in flight together: at most w deliveries. The sender redelivers these
///   before anything new. Its window is then one, and grows by one with each confirmation. Fewer
///   than w of these deliveries are older than the delivery. When one of them is confirmed, at most
///   one new delivery follows behind. So the child does fewer than w new deliveries before the
///   sender has the confirmation.
///   (w is enough if the child works in order of arrival, and deliveries end only by confirmation.
///   The deliveries behind a delivery then stay in flight as long as that delivery does.)
/// - One sender, `Ordering::per_key` or `Ordering::unordered`: any number of deliveries can
///   overtake one that waits for a backoff of its own. So add to 2 w the number of deliveries that
///   the child does while a delivery may still be owed. That time is the sum of the delays of all
///   failures in a row that you want to survive, and at most `SenderOptions::time_to_live`. For
///   example, 100 deliveries a second and 60 s make 6,000.
/// - Several senders, in any order: the work for the other senders counts too while one sender
///   waits. Take the sum of their 2 w, and add their joint rate times that time. With one
///   `Deduplicator` for each `origin`, the rules for one sender hold for each.
/// - A sender with a durable outbox: if its process is killed, the next process may redeliver
///   deliveries that were confirmed but not yet written. Add the number of deliveries that are
///   confirmed while one batch is written.
///
/// Memory: 16 bytes and an `Answer` for each remembered delivery, and 8 to 16 bytes to find it.
///
/// @shape  `Answer`: the child's answer, to be given again; by default empty. It must be movable.
/// @errors none but `std::bad_alloc`, from `remember` while it grows; then nothing has changed.
/// @thread one at a time.
template <class Answer = std::monostate>
class Deduplicator {
public:
  /// The largest capacity.
  static constexpr std::size_t max_capacity = std::size_t{1} << 30;

  /// Begins empty. Remembers at most `capacity` deliveries.
  ///
  /// @range 1..`max_capacity`
  /// @errors throws `InvalidArgument`
  explicit Deduplicator(std::size_t capacity = 10'000) : capacity_(capacity) {
    Problems problems;
    if (capacity < 1 || capacity > max_capacity)
      problems.add("capacity", detail::text_of_count(capacity),
                   "1.." + std::to_string(max_capacity));
    problems.raise_if_any();
  }

  /// Returns the remembered answer; null if the delivery is not remembered. Constant time. The
  /// pointer is valid until the next `remember`.
  const Answer* find(std::uint64_t origin, std::uint64_t delivery) const {
    if (places_.empty())
      return nullptr;
    const auto place = places_[cell_of(origin, delivery)];
    return place == none ? nullptr : &entries_[place].answer;
  }

  /// Remembers a delivery and its answer. At capacity, forgets the oldest. A delivery that is
  /// already remembered gets the new answer and keeps its age. Constant time, except when it grows.
  void remember(std::uint64_t origin, std::uint64_t delivery, Answer answer = {}) {
    if (places_.empty())
      grow();
    auto cell = cell_of(origin, delivery);
    if (places_[cell] != none) {
      entries_[places_[cell]].answer = std::move(answer);
      return;
    }
    if (entries_.size() < capacity_) {
      if (entries_.size() == entries_.capacity()) {
        grow();
        cell = cell_of(origin, delivery);
      }
      entries_.push_back({origin, delivery, std::move(answer)});
      places_[cell] = static_cast<Place>(entries_.size() - 1);
      return;
    }
    auto& oldest = entries_[oldest_];
    empty_cell(cell_of(oldest.origin, oldest.delivery));
    oldest = {origin, delivery, std::move(answer)};
    places_[cell_of(origin, delivery)] = oldest_; // not in `cell` if others have moved up
    oldest_ = oldest_ + 1 == capacity_ ? 0 : oldest_ + 1;
  }

  /// How many deliveries are remembered.
  std::size_t size() const { return entries_.size(); }
  /// How many are remembered at the most.
  std::size_t capacity() const { return capacity_; }

private:
  using Place = std::uint32_t; // an index in the ring

  static constexpr Place none = ~Place{0};

  struct Entry {
    std::uint64_t origin;
    std::uint64_t delivery;
    [[no_unique_address]] Answer answer;
  };

  static std::size_t hash_of(std::uint64_t origin, std::uint64_t delivery) {
    return static_cast<std::size_t>(detail::mix(origin ^ detail::mix(delivery)));
  }

  // The cell of the delivery; if it is not remembered, the empty cell that it would get. There is
  // always an empty cell.
  std::size_t cell_of(std::uint64_t origin, std::uint64_t delivery) const {
    auto cell = hash_of(origin, delivery) & mask();
    while (places_[cell] != none
           && !(entries_[places_[cell]].origin == origin
                && entries_[places_[cell]].delivery == delivery))
      cell = (cell + 1) & mask();
    return cell;
  }

  // Empties a cell, and moves up the entries behind it that a search would no longer find.
  void empty_cell(std::size_t hole) {
    for (auto cell = (hole + 1) & mask(); places_[cell] != none; cell = (cell + 1) & mask()) {
      const auto& entry = entries_[places_[cell]];
      const auto home = hash_of(entry.origin, entry.delivery) & mask();
      if (((cell - home) & mask()) < ((cell - hole) & mask()))
        continue; // its home cell is behind the hole
      places_[hole] = places_[cell];
      hole = cell;
    }
    places_[hole] = none;
  }

  // Doubles the room, up to the capacity.
  void grow() {
    constexpr std::size_t at_first = 16;
    const auto room = std::min(capacity_, std::max(at_first, 2 * entries_.size()));
    std::vector<Place> places(std::bit_ceil(2 * room), none);
    entries_.reserve(room);
    places_.swap(places);
    for (Place place = 0; place < entries_.size(); ++place)
      places_[cell_of(entries_[place].origin, entries_[place].delivery)] = place;
  }

  std::size_t mask() const { return places_.size() - 1; }

  std::size_t capacity_;
  std::vector<Entry> entries_; // a ring, once it is full
  std::vector<Place> places_;  // its size is a power of two, or 0
  Place oldest_ = 0;           // the oldest entry of a full ring
};

} // namespace backoff_actor
