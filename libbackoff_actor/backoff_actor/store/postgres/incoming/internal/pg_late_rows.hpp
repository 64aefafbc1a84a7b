#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
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

  // How many transactions have written, and have not ended.
  std::size_t running() const { return running_.size(); }

private:
  std::uint32_t end_ = 0; // what has this number or a higher one has not ended
  std::vector<std::uint32_t> running_{};
};

// A place in the two orders in which rows are taken: by number and, those with `not_before`, by
// time.
struct PgPlace {
  std::uint64_t row = 0;
  std::int64_t due = std::numeric_limits<std::int64_t>::min(); // as the server sends a timestamptz

  friend bool operator==(const PgPlace&, const PgPlace&) = default;
};

// The lower one, in each order.
inline PgPlace lower_of(const PgPlace& x, const PgPlace& y) {
  return {std::min(x.row, y.row), std::min(x.due, y.due)};
}

// Where a look at `incoming` finds rows that became visible below those that were taken.
//
// Such a row is of a transaction that has written to the table, and that has a lock of it until it
// ends. So the transactions that have one are all that matter: others, which only keep the server
// from removing dead rows, hold up nothing. When a row is inserted, its number is higher than all
// others, and its `not_before` is later than the server's clock. `floor` spares a look the dead
// entries of the index that lie below. A transaction that takes long does not keep the floor down,
// either: once it has ended, one look goes down to what was the top when it began.
class PgLateRows {
public:
  using Time = std::chrono::steady_clock::time_point;

  // Below and at this place a look finds nothing, but for rows of the transactions that take long.
  PgPlace floor() const { return floor_; }

  // The rows of transactions that took long and have ended lie above; `floor()`: there are none.
  PgPlace floor_of_ended(const PgSnapshot& seen) const;

  // Whether a look should ask who writes.
  //
  // @param top the highest that was taken or seen
  bool is_to_ask(const PgPlace& top, Time now) const {
    return (top.row > floor_.row || top.due > floor_.due) && now >= ask_at_;
  }

  // Who writes, as a look was told after it had taken new rows and before it looked for late ones
  // and for those that are due.
  //
  // @param done what is below was taken before, or this look sees it after the question.
  // @param top what is above is taken by the next look. Or else a transaction writes it that did
  //            not write when the question was asked.
  void note_writers(const std::vector<std::uint32_t>& writers, const PgPlace& done,
                    const PgPlace& top, Time now);

  // A look saw all late rows, and all that are due.
  //
  // @param left all that it did not take is above
  void note_look(const PgSnapshot& seen, const PgPlace& left, Time now);

  // What is above may be seen again.
  void go_down_to(const PgPlace& place) { floor_ = lower_of(floor_, place); }

private:
  struct Writer {
    std::uint32_t transaction;
    PgPlace above; // its rows are higher
    Time since;
  };

  PgPlace floor_{};
  PgPlace base_{}; // what is below and was not seen is of the writers
  PgPlace top_when_asked_{};
  Time ask_at_{};
  std::vector<Writer> writers_{};
};

} // namespace backoff_actor::detail
