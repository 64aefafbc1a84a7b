#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace backoff_actor::detail {

// Which transactions a statement sees as ended.
class PgSnapshot {
public:
  // @param text as of `pg_current_snapshot()`
  explicit PgSnapshot(std::string_view text);

  // @param transaction one that had begun before the snapshot; the lower half of its number
  bool has_ended(std::uint32_t transaction) const;

private:
  std::uint32_t end_ = 0; // what has this number or a higher one has not ended
  std::vector<std::uint32_t> running_{};
};

// Where a look at `incoming` finds rows that became visible below those that were taken.
//
// Such a row is of a transaction that has written to the table, and that has a lock of it until it
// ends. So the transactions that have one are all that matter: others, which only keep the server
// from removing dead rows, hold up nothing. `floor` spares a look the dead entries of the index
// that lie below. A transaction that takes long does not keep the floor down, either: once it has
// ended, one look goes down to what was the top when it began.
class PgLateRows {
public:
  using Time = std::chrono::steady_clock::time_point;

  // Below and at this number a look finds nothing, but for rows of the transactions that take long.
  std::uint64_t floor() const { return floor_; }

  // The rows of transactions that took long and have ended lie above; `floor()`: there are none.
  std::uint64_t floor_of_ended(const PgSnapshot& seen) const;

  // Whether a look should ask who writes.
  bool is_to_ask(std::uint64_t top, Time now) const { return top > floor_ && now >= ask_at_; }

  // Who writes, as a look was told after it had taken new rows and before it looked for late ones.
  //
  // @param old_top the highest row that was taken before
  // @param new_top the highest row that is taken now
  void note_writers(const std::vector<std::uint32_t>& writers, std::uint64_t old_top,
                    std::uint64_t new_top, Time now);

  // A look saw all late rows.
  //
  // @param left the first that it did not take; 0: it took all
  void note_look(const PgSnapshot& seen, std::uint64_t left, Time now);

  // A row below may be seen again.
  void go_down_to(std::uint64_t row) { floor_ = row < floor_ ? row : floor_; }

private:
  struct Writer {
    std::uint32_t transaction;
    std::uint64_t above; // its rows have higher numbers
    Time since;
  };

  std::uint64_t floor_ = 0;
  std::uint64_t base_ = 0; // what is below and was not seen is of the writers
  std::uint64_t top_when_asked_ = 0;
  Time ask_at_{};
  std::vector<Writer> writers_{};
};

} // namespace backoff_actor::detail
