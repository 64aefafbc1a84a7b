#pragma once

// Design notes
//
// If a store fails for long, the cost of each failed commit must not grow with the backlog. So the
// changes of failed commits are kept apart from newer ones. A failed commit looks only at its own
// changes and at one batch of the waiting ones.
//
//     changes --put--> waiting --take--> a commit --> done
//                                 ^          |
//                                 +- failed <+ keep
//
// When a commit fails, insertions and new messages are refused: their clients were promised nothing
// yet. All other changes must be written at some time.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace backoff_actor {

/// The changes that a store has not taken yet, in order.
class BACKOFF_ACTOR_EXPORT UnwrittenChanges {
public:
  /// Holds no changes.
  ///
  /// @range `max_batch`: how many changes one commit takes at the most, 1 and above
  explicit UnwrittenChanges(std::size_t max_batch) : max_batch_(max_batch) {}

  /// Whether no change waits.
  bool empty() const { return failed_.empty() && waiting_.empty(); }

  /// How many changes wait.
  std::size_t size() const { return failed_.size() + waiting_.size(); }

  /// How many insertions and new messages no commit has tried yet.
  std::size_t refusable() const { return refusable_; }

  /// How many changes must still be written. Counts those that a commit has taken and that did not
  /// come back yet. What can be refused does not count.
  std::size_t owed() const { return size() - refusable_ + taken_; }

  /// Whether each of these changes is a context that nobody awaits.
  static bool can_all_wait(std::span<const StoreChange> changes);

  /// Whether all that waits is of that kind. It stops at the first that is not.
  bool can_all_wait() const;

  /// Visits all that waits.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto* const changes : {&failed_, &waiting_})
      for (const auto& x : *changes)
        visit(x);
  }

  /// Appends a change. A context replaces an earlier one of the same delivery. While the store is
  /// failing, a count of attempts does so, too: otherwise counts would pile up.
  void put(StoreChange change, bool is_failing);

  /// Takes up to `most` changes from the front, for one commit. Each comes back by `forget` or
  /// `keep`.
  std::vector<StoreChange> take(std::size_t most);

  /// Forgets changes that were taken: they were written, or never will be.
  void forget(std::span<const StoreChange> changes);

  /// What a failed commit drops.
  struct Refused {
    /// The last delivery whose insertion it looked at; 0: there was none.
    std::uint64_t last_id = 0;
    std::vector<change::SetMessage> messages{}; ///< in order
    std::vector<std::uint64_t> cancelled{};     ///< dropped with what has cancelled them
  };

  /// Takes back the changes of a failed commit. Drops their insertions and new messages, and those
  /// in one batch of the waiting changes. Exception: some deliveries became dead letters or were
  /// cancelled before they were stored, and their clients were told so. Their messages are kept,
  /// and so are their insertions: those of rows, and up to one batch of others.
  Refused keep(std::vector<StoreChange>& changes);

  /// Its sender has ended, and has left what it made of rows to the next one as if it were stored.
  /// So no commit that fails drops such an insertion any more.
  void keep_row_of(const StoreChange& change);

  /// The same of all that waits.
  void keep_rows();

private:
  void note_count(StoreChange& change);
  void leave(const StoreChange& change);

  std::size_t max_batch_;
  std::deque<StoreChange> failed_{};
  std::deque<StoreChange> waiting_{};
  std::size_t refusable_ = 0; // in `waiting_`
  std::size_t letters_ = 0;   // insertions in `failed_` that are not of rows
  std::size_t taken_ = 0;     // changes that a commit has taken, and that cannot be refused
  std::unordered_map<std::uint64_t, change::CountAttempts*> counts_{}; // the last one of a delivery
  std::unordered_map<std::uint64_t, change::SetContext*> contexts_{};  // the only one of a delivery
  // Deliveries that became dead letters or were cancelled, which must be written.
  std::unordered_set<std::uint64_t> ended_{};
  std::unordered_set<std::uint64_t> left_{}; // made of rows, by a sender that has ended
};

} // namespace backoff_actor
