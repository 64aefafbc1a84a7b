#pragma once

// Numbers that an actor publishes and a monitor reads, without a message and without a lock.

#include "backoff_actor/core/time.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// A moment as a word.
inline std::uint64_t word_of(Instant at) {
  return std::bit_cast<std::uint64_t>(at.since_origin.count());
}
inline Instant instant_of(std::uint64_t word) {
  return {Duration{std::bit_cast<std::int64_t>(word)}};
}

/// Some numbers. One thread at a time writes, and any thread reads. Each number alone is right; two
/// of them may be a moment apart.
template <std::size_t Size>
class Cell {
public:
  // A relaxed store of a word is an ordinary store.
  void set(std::size_t word, std::uint64_t value) {
    words_[word].store(value, std::memory_order_relaxed);
  }

  // For words that belong together.
  void release(std::size_t word, std::uint64_t value) {
    words_[word].store(value, std::memory_order_release);
  }
  std::uint64_t acquire(std::size_t word) const {
    return words_[word].load(std::memory_order_acquire);
  }

  // The one writer needs no locked instruction.
  void add(std::size_t word, std::uint64_t value = 1) { set(word, get(word) + value); }

  std::uint64_t get(std::size_t word) const { return words_[word].load(std::memory_order_relaxed); }

private:
  std::array<std::atomic<std::uint64_t>, Size> words_{};
};

/// All that publish the same numbers under the same name, and the counts of those that have ended.
///
/// `Words` names the numbers: `Words::counters` of them, the first, never fall; `Words::size` are
/// all. A cell begins a cache line, so that the writers of two cells do not slow each other down,
/// unless `alignment` says otherwise.
///
/// @thread any; a cell's writer takes the lock when it comes and when it goes.
template <class Words, class OneCell = Cell<Words::size>, std::size_t alignment = 64>
class Kind {
public:
  /// A cell in its kind, from its construction to its destruction. Its writer owns it.
  class alignas(alignment) Member {
  public:
    explicit Member(std::shared_ptr<Kind> kind) : kind_(std::move(kind)) {
      const std::lock_guard lock{kind_->mutex_};
      place_ = static_cast<std::uint32_t>(kind_->members_.size());
      kind_->members_.push_back(this);
    }

    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    // The counts move while nobody reads the kind, so no sum of them falls.
    ~Member() {
      const std::lock_guard lock{kind_->mutex_};
      for (std::size_t i = 0; i < Words::counters; ++i)
        kind_->retired_[i] += cell.get(i);
      kind_->members_[place_] = kind_->members_.back();
      kind_->members_[place_]->place_ = place_;
      kind_->members_.pop_back();
    }

    const std::shared_ptr<Kind>& kind() const { return kind_; }

    OneCell cell;

  private:
    std::shared_ptr<Kind> kind_;
    std::uint32_t place_;
  };

  /// Calls `read(cell)` for each cell, and returns the sums of the counters, ended ones included.
  template <class Read>
  std::array<std::uint64_t, Words::counters> for_each(Read read) const {
    const std::lock_guard lock{mutex_};
    auto sums = retired_;
    for (std::size_t place = 0; place != members_.size(); ++place) {
      if (place + ahead < members_.size())
        fetch(*members_[place + ahead]);
      const auto& cell = members_[place]->cell;
      for (std::size_t i = 0; i < Words::counters; ++i)
        sums[i] += cell.get(i);
      read(cell);
    }
    return sums;
  }

  /// Moves the count of a word to those of the ended, so that the cell can begin anew.
  void retire(OneCell& cell, std::size_t word) {
    const std::lock_guard lock{mutex_};
    retired_[word] += cell.get(word);
    cell.set(word, 0);
  }

protected:
  // Returns the first member for which `is_it(member)`, and keeps it from going while the lock is
  // held; null: there is none.
  template <class Is>
  std::pair<std::unique_lock<std::mutex>, Member*> find(Is is_it) const {
    std::unique_lock lock{mutex_};
    for (auto* const member : members_)
      if (is_it(*member))
        return {std::move(lock), member};
    return {};
  }

private:
  static constexpr std::size_t ahead = 8; // members

  // Begins to fetch a cell: its writer has it in the cache of another processor.
  static void fetch(const Member& member) {
    constexpr std::size_t line = 64;
    const auto* const begin = reinterpret_cast<const char*>(&member);
    for (std::size_t at = 0; at < sizeof(Member); at += line)
      __builtin_prefetch(begin + at);
  }

  mutable std::mutex mutex_;
  std::array<std::uint64_t, Words::counters> retired_{};
  std::vector<Member*> members_;
};

} // namespace backoff_actor::detail
