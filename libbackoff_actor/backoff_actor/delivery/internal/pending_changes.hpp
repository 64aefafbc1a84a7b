#pragma once

// Design notes
//
// A store that fails for long must not cost more with each change that waits for it. So what a commit has failed of
// is kept apart from what came since. A failed commit looks at its own changes and at one batch of those that wait,
// whatever else waits.
//
//     changes --put--> waiting --take--> a commit --> done
//                                 ^          |
//                                 +- failed <+ keep
//
// Insertions are refused when a commit fails: nobody was promised anything. The rest must be written, sometime.

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

/// What a store is still to be told, in order.
class BACKOFF_ACTOR_EXPORT PendingChanges {
public:
  /// None.
  ///
  /// @range `max_batch`: how many changes one commit takes at the most, 1 and above
  explicit PendingChanges(std::size_t max_batch) : max_batch_(max_batch) {}

  /// Whether there is nothing to tell.
  bool empty() const { return failed_.empty() && waiting_.empty(); }

  /// How many there are.
  std::size_t size() const { return failed_.size() + waiting_.size(); }

  /// How many insertions there are that no commit has tried.
  std::size_t insertions() const { return insertions_; }

  /// How many there are without these, which can be refused.
  std::size_t owed() const { return size() - insertions_; }

  /// Appends a change. While the store is failing, a count of attempts takes the place of an earlier one of the
  /// same delivery, for they would pile up.
  void put(StoreChange change, bool is_failing);

  /// Takes so many changes from the front, or all that there are: for one commit.
  std::vector<StoreChange> take(std::size_t most);

  /// Forgets about changes that were taken, for they were written, or never will be.
  void forget(std::span<const StoreChange> changes);

  /// Takes back what a commit has failed of, without the insertions in it and in a batch of what waits. Of deliveries
  /// that ended as dead letters before they were stored, whose clients were told, a batch is kept all the same.
  ///
  /// @returns up to which number insertions were dealt with; 0: there was none
  std::uint64_t keep(std::vector<StoreChange>& changes);

private:
  void note_count(StoreChange& change);
  void leave(const StoreChange& change);

  std::size_t max_batch_;
  std::deque<StoreChange> failed_{};
  std::deque<StoreChange> waiting_{};
  std::size_t insertions_ = 0;                                         // in `waiting_`
  std::size_t letters_ = 0;                                            // insertions in `failed_`
  std::unordered_map<std::uint64_t, change::CountAttempts*> counts_{}; // the last one of a delivery
  std::unordered_set<std::uint64_t>
    buried_{}; // deliveries whose end as a dead letter is to be written
};

} // namespace backoff_actor
