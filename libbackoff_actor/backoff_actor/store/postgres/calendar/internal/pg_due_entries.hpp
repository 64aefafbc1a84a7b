#pragma once

// Design notes
//
// The table `calendar` has the entries, each with the time at which the owner looks at it next. The
// owner reads what is due, decides about it in memory (calendar/internal/calendar_row.hpp), and
// makes one transaction of all that follows:
//
// 1. It checks that the epoch is still its own. That locks the row of the outbox, as
//    `backoff.fence` does.
// 2. It checks that the entries are as they were read. Those that somebody has locked or changed
//    stay due. Those that are locked already are not read.
// 3. It writes decided_until, next_at and problem.
// 4. It makes a row of `incoming` of each run, with its key.
//
// So a time becomes a row once, however often the answer is lost and whoever owns the outbox next.
// From then on it is a row as any other. The transaction need not reach the disk: if the server
// forgets it in a crash, it forgets the rows, too, and all that was made of them later.
//
// All times are the server's. The values of one entry may have the server refuse a statement. Then
// it is made again for each entry alone, and the entry that is refused gets a problem.

#include "backoff_actor/calendar/internal/calendar_row.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"
#include "backoff_actor/store/postgres/internal/postgres_delivery_store.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor::detail {

// Makes rows of `incoming` of what is due in the calendar of an outbox.
//
// @errors as `PgConnection::run`
class PgDueEntries {
public:
  using Clock = std::chrono::steady_clock;

  PgDueEntries(std::shared_ptr<const PgWish> wish, std::shared_ptr<PgBoard> board);

  // A session begins.
  //
  // @returns false if its tables have no calendar
  bool begin(PgSession& session);

  // What to ask in each look, and the answer.
  PgCall next_call();
  void note_next(const PgRows& rows);

  // How long until an entry is due; 0: one is.
  Duration until_due() const;

  // The last answer.
  CalendarOutlook outlook() const;

  // Does what is due now, or a part of it. What is left is due still.
  void run(PgSession& session);

private:
  static constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();

  // Times that were missed, and do not run by the rule of their entry.
  struct LeftOut {
    std::size_t count = 0;
    WallTime first{};
  };

  // An entry that is due, and what becomes of it.
  struct Due {
    std::string name;
    std::int64_t version;
    WallTime read_until; // its `decided_until` before the step
    CalendarStep step;
    LeftOut left_out;
  };

  LeftOut left_out(const CalendarRow& entry, const CalendarStep& step, WallTime now) const;
  std::vector<Due> find(PgSession& session);
  void decide(const PgRows& rows, std::vector<Due>& due);
  std::size_t move(PgSession& session, std::span<const Due> due) const;
  void tell_problem(const Due& due) const;
  void tell_left_out(std::span<const Due* const> due) const;
  std::size_t move_each(PgSession& session, std::span<Due> due);

  const std::shared_ptr<const PgWish> wish_;
  const std::shared_ptr<PgBoard> board_;
  Clock::time_point next_at_{};               // the next look for what is due
  std::optional<Clock::time_point> due_at_{}; // the next entry; none: no entry will be due
  std::uint64_t problems_ = 0;                // entries that cannot run
  Clock::time_point not_before_{};            // others are in the way until then
  std::int64_t floor_ = before_all; // no entry is due at this time of the server or before
  Clock::time_point full_look_at_{};
  std::size_t room_ = 0; // for runs, in this step
  bool is_first_ = true;
};

} // namespace backoff_actor::detail
