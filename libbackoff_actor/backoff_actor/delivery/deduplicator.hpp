#pragma once

// Design notes
//
// A ring of what is remembered, in the order of that, and a hash table of places in the ring: open
// addressing with linear probing, at most half full. A full ring forgets a delivery for each that it
// takes, so whatever is behind an emptied cell moves up: tombstones would pile up. Both grow with what
// is remembered, and not beyond what the capacity needs.

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

/// What a child remembers of the deliveries that it has done, so that one which is handed to it again
/// is not done again: at least once becomes once, as long as this memory lives. It has to outlive what
/// made the sender hand over again, as the memory of a child on another node does when the link
/// breaks; that of a child which is made anew by the sender starts empty.
///
///     if (const auto* known = seen_.find(x.origin, x.delivery))
///       return sent(x, *known);
///     seen_.remember(x.origin, x.delivery, answer);
///     return sent(x, answer);
///
/// To be remembered in the handler that confirms it, and only if it was done: a delivery that is
/// refused comes again in order to be tried again. What is begun in one handler and done in another is
/// not known in between.
///
/// How large a capacity has to be: a delivery that was done must be remembered until its confirmation
/// has reached the sender. What is done meanwhile must fit beside it. Let w be the sender's window
/// (`SenderOptions::max_in_flight`, and what that says if it is unset).
///
/// - One sender, `Ordering::strict`, without a fallback: 2 w, however often the child or the link fails
///   in a row. Confirmations arrive in order, so all that were sent after the first that is lost are
///   lost with it: the delivery and what was done after it were in flight together, at most w. They are
///   handed over again before anything that is new, and with a window of one, which opens by one with
///   each confirmation. So, each time the delivery's confirmation is lost once more, what has come in
///   behind it is no more than was confirmed before it; and of those before it there were fewer than w,
///   in all. (Where the child works in order of arrival, and deliveries end only by being confirmed,
///   what is behind it stays in flight as long as it does, and w is enough.)
/// - One sender, `Ordering::per_key` or `Ordering::unordered`: a delivery that waits for a backoff of
///   its own is passed by any number of others. So, beyond 2 w, as many as the child does in the time in
///   which a delivery may still be owed: the delays of all failures in a row that are to be borne,
///   at most `SenderOptions::time_to_live`. 100 a second and 60 s: 6,000.
/// - Several senders: what the others get done while one of them waits counts as well, in any order:
///   the sum of the 2 w, and their rate times that time. With a `Deduplicator` for each `origin` the
///   sentences on one sender hold for each.
/// - A sender with a durable outbox that is killed may owe again in its next life what was confirmed,
///   but not yet written: add as many as it gets confirmed while a batch is written.
///
/// Memory: 16 bytes and an `Answer` for each that is remembered, and 8 to 16 bytes for finding it.
///
/// @shape  `Answer`: what the child answered, to be answered again; nothing unless said. It can be
///         moved.
/// @errors none but `std::bad_alloc`, from `remember` while it grows; then nothing has changed.
/// @thread one at a time.
template <class Answer = std::monostate>
class Deduplicator {
public:
  /// The largest capacity.
  static constexpr std::size_t max_capacity = std::size_t{1} << 30;

  /// Remembers at most `capacity` deliveries, and none yet.
  ///
  /// @range 1..`max_capacity`
  /// @errors throws `InvalidArgument`
  explicit Deduplicator(std::size_t capacity = 10'000) : capacity_(capacity) {
    Problems problems;
    if (capacity < 1 || capacity > max_capacity)
      problems.add("capacity", std::to_string(capacity), "1.." + std::to_string(max_capacity));
    problems.raise_if_any();
  }

  /// Returns what was answered to the delivery; null: it is not remembered. Constant time. Holds until
  /// the next `remember`.
  const Answer* find(std::uint64_t origin, std::uint64_t delivery) const {
    if (places_.empty())
      return nullptr;
    const auto place = places_[cell_of(origin, delivery)];
    return place == none ? nullptr : &entries_[place].answer;
  }

  /// Remembers a delivery and its answer; if there are as many as may be, the oldest is forgotten.
  /// One that is remembered gets the new answer, and becomes no younger. Constant time, but for
  /// growing.
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
    places_[cell_of(origin, delivery)] = oldest_; // elsewhere than before, if others have moved up
    oldest_ = oldest_ + 1 == capacity_ ? 0 : oldest_ + 1;
  }

  /// How many deliveries are remembered.
  std::size_t size() const { return entries_.size(); }
  /// How many are remembered at the most.
  std::size_t capacity() const { return capacity_; }

private:
  using Place = std::uint32_t; // in the ring

  static constexpr Place none = ~Place{0};

  struct Entry {
    std::uint64_t origin;
    std::uint64_t delivery;
    [[no_unique_address]] Answer answer;
  };

  static std::size_t hash_of(std::uint64_t origin, std::uint64_t delivery) {
    return static_cast<std::size_t>(detail::mix(origin ^ detail::mix(delivery)));
  }

  // The cell of the delivery; if it is not remembered, the empty one that it would get. There is
  // always an empty one.
  std::size_t cell_of(std::uint64_t origin, std::uint64_t delivery) const {
    auto cell = hash_of(origin, delivery) & mask();
    while (places_[cell] != none
           && !(entries_[places_[cell]].origin == origin
                && entries_[places_[cell]].delivery == delivery))
      cell = (cell + 1) & mask();
    return cell;
  }

  // Empties a cell, and moves up what would no longer be found behind it.
  void empty_cell(std::size_t hole) {
    for (auto cell = (hole + 1) & mask(); places_[cell] != none; cell = (cell + 1) & mask()) {
      const auto& entry = entries_[places_[cell]];
      const auto home = hash_of(entry.origin, entry.delivery) & mask();
      if (((cell - home) & mask()) < ((cell - hole) & mask()))
        continue; // its home is behind the hole
      places_[hole] = places_[cell];
      hole = cell;
    }
    places_[hole] = none;
  }

  // Makes room for twice as many, but not for more than the capacity.
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
  Place oldest_ = 0;           // of a full ring
};

} // namespace backoff_actor
