// Design notes
//
// Rows get their numbers before they are committed. So a row may become visible when the intake has
// already taken rows with higher numbers. Each look reads two ranges:
//
//     floor ......... top ............
//       | late rows    | new rows
//
// Each statement of a look sees what was committed when it began. So the new rows are read before
// the late ones: whatever was committed before a new row is seen, too, and comes first.
//
// `PgLateRows` has the floor. Between the new rows and the late ones, a look asks which
// transactions have ended, and now and then which ones write. So the late rows have those of all
// transactions that have ended by then. Once a minute a look goes without the floor, all the same:
// somebody may have changed the table behind its trigger.
//
// What is due in the calendar becomes rows of `incoming` before a look, in the same session. Each
// look asks when the next entry is due, and a wait ends then. See calendar/internal/.
//
// Rows with `not_before` are taken by time, not by number, between a floor of their own and the
// server's clock. When a row is inserted, its time is still to come. So this floor holds as that of
// the numbers does, until the clock is set back.
//
// After an empty look the intake says in the table `outbox` that it sleeps, looks once more, and
// then waits. The trigger of `incoming` notifies only an owner that sleeps, for the server lets the
// notifications of all its transactions commit one at a time. While many hand over at the same
// time (`PgCrowd`), the intake stays awake, and looks again after short pauses.
//
// The trigger runs when a row is inserted. So it may have found the owner awake in a transaction
// that commits later. All such transactions write to the table when the intake has said that it
// sleeps. Until they have ended, the intake goes on looking, with pauses that grow with the time.
// In REPEATABLE READ and SERIALIZABLE a snapshot may be older than the lock of the table. Such a
// row may wait for the next look of an owner that sleeps.

#include "backoff_actor/store/postgres/calendar/internal/pg_due_entries.hpp"
#include "backoff_actor/store/postgres/incoming/internal/pg_crowd.hpp"
#include "backoff_actor/store/postgres/incoming/internal/pg_late_rows.hpp"
#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"
#include "backoff_actor/store/postgres/internal/postgres_delivery_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

namespace {

using namespace pg_type;

// What one look returns at the most, but for the first row.
constexpr std::int64_t bytes_of_a_look = 16 << 20;

// How often a look goes without the floors, and how many times what it took the next one is away.
constexpr std::chrono::seconds without_floor{60};
constexpr int pause_of_full_looks = 100;

// How long an intake that stays awake pauses between two looks: this part of the time since the
// last row.
constexpr int awake_part = 4;
constexpr std::chrono::milliseconds longest_awake_pause{10};

// How long an intake that sleeps pauses between two looks, while transactions run that may not know
// it: this part of the time for which it has slept. So a row waits for a small part of the time
// that its transaction took, and a minute costs about 80 looks.
constexpr int pause_part = 8;
constexpr std::chrono::milliseconds shortest_pause{1};

constexpr PgPlace highest_place{std::numeric_limits<std::uint64_t>::max(),
                                std::numeric_limits<std::int64_t>::max()};

// A deadline that is further away is none.
constexpr std::int64_t longest_life = 4'000'000'000'000'000'000;

// The intake writes nothing that matters.
const PgStatement set_up_intake{
  nullptr, "SELECT set_config('synchronous_commit', 'off', false)", {}};

// With the time up to which rows are due.
const PgStatement read_snapshot{"read_snapshot", "SELECT pg_current_snapshot()::text, now()", {}};

// Transactions that have written to the table. Those that have not got their number yet have not
// got the number of a row. A transaction has the lowest of the numbers of its subtransactions.
const PgStatement find_writers{
  "find_writers",
  "WITH l AS MATERIALIZED (SELECT * FROM pg_locks WHERE granted) SELECT "
  "min(x.transactionid::text::int8) FROM l r JOIN l x USING (virtualtransaction) WHERE r.locktype "
  "= 'relation' AND r.relation = 'backoff.incoming'::regclass AND r.mode = 'RowExclusiveLock' AND "
  "r.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND x.locktype = "
  "'transactionid' AND x.mode = 'ExclusiveLock' GROUP BY x.virtualtransaction",
  {}};

// Sizes are known without reading what is large.
#define BACKOFF_ACTOR_SIZE                                                                         \
  "octet_length(payload)::int8 + octet_length(key) + octet_length(idempotency_key) + "             \
  "octet_length(type) + coalesce(octet_length(context), 0)"

// Of a row that is larger than `limit`, only the number and the size.
#define BACKOFF_ACTOR_PART(column, limit) "CASE WHEN size <= " limit " THEN " column " END"
#define BACKOFF_ACTOR_ROW(limit)                                                                   \
  "id, " BACKOFF_ACTOR_PART("key", limit) ", " BACKOFF_ACTOR_PART(                                 \
    "idempotency_key",                                                                             \
    limit) ", " BACKOFF_ACTOR_PART("type",                                                         \
                                   limit) ", " BACKOFF_ACTOR_PART("payload",                       \
                                                                  limit) ", (greatest(-1, "        \
                                                                         "least(extract(epoch "    \
                                                                         "FROM deadline - "        \
                                                                         "clock_timestamp()), "    \
                                                                         "4e9)) * "                \
                                                                         "1e9)::int8,"             \
                                                                         " " BACKOFF_ACTOR_PART(   \
                                                                           "context",              \
                                                                           limit) ", size"

// $3: how many rows. $4: how many bytes; the first row is read in any case. $5: the largest row
// that is read.
const PgStatement take_new{
  "take_new",
  "SELECT " BACKOFF_ACTOR_ROW("$5") " FROM (SELECT *, sum(to_read) OVER (ORDER BY id) - to_read AS "
                                    "bytes_before FROM (SELECT *, (CASE WHEN size <= $5 THEN size "
                                    "ELSE 0 END)::int4 AS to_read FROM "
                                    "(SELECT *, " BACKOFF_ACTOR_SIZE
                                    " AS size FROM backoff.incoming WHERE outbox_id = $1 AND shard "
                                    "= 0 AND not_before IS NULL AND id > $2 ORDER BY id LIMIT $3) "
                                    "a) b) c WHERE bytes_before < $4 "
                                    "ORDER BY id",
  {int4, int8, int8, int8, int8}};

const PgStatement find_late{"find_late",
                            "SELECT id, " BACKOFF_ACTOR_SIZE
                            " FROM backoff.incoming WHERE outbox_id = $1 AND shard = 0 AND "
                            "not_before IS NULL AND id > $2 AND id <= $3 ORDER BY id LIMIT $4",
                            {int4, int8, int8, int8}};

// Rows with higher numbers may be there already, but are not committed.
const PgStatement find_newest{
  "find_newest",
  "SELECT coalesce(max(id), 0) FROM backoff.incoming WHERE outbox_id = $1 AND shard = 0 AND "
  "not_before IS NULL",
  {int4}};

const PgStatement find_due{"find_due",
                           "SELECT id, " BACKOFF_ACTOR_SIZE
                           ", not_before FROM backoff.incoming WHERE outbox_id = $1 AND shard = 0 "
                           "AND not_before > $3 AND not_before <= now() ORDER BY not_before, id "
                           "LIMIT $2",
                           {int4, int8, timestamptz}};

const PgStatement take_these{
  "take_these",
  "SELECT " BACKOFF_ACTOR_ROW("$3") " FROM (SELECT *, " BACKOFF_ACTOR_SIZE
                                    " AS size FROM backoff.incoming WHERE outbox_id = $1 AND id = "
                                    "ANY($2)) i JOIN unnest($2) WITH ORDINALITY AS t(id, place) "
                                    "USING (id) ORDER BY place",
  {int4, int8_array, int8}};

const PgStatement set_asleep{
  "set_asleep", "UPDATE backoff.outbox SET is_asleep = $2 WHERE id = $1", {int4, boolean}};

constexpr std::array intake_statements{&read_snapshot, &find_writers, &take_new,   &find_late,
                                       &find_newest,   &find_due,     &take_these, &set_asleep};

std::vector<std::uint32_t> read_writers(const PgRows& rows) {
  std::vector<std::uint32_t> result;
  for (auto row = 0; row < rows.size(); ++row)
    result.push_back(static_cast<std::uint32_t>(rows.number(row, 0)));
  return result;
}

// @param limit the largest row that is read, in bytes
IncomingMessage read_row(const PgRows& rows, int row, std::int64_t limit) {
  IncomingMessage result;
  result.row = static_cast<std::uint64_t>(rows.number(row, 0));
  if (const auto size = rows.number(row, 7); size > limit) {
    result.bytes_left = static_cast<std::uint64_t>(size);
    return result;
  }
  result.key = rows.text(row, 1);
  result.idempotency_key = rows.text(row, 2);
  result.type = rows.text(row, 3);
  const auto payload = rows.bytes(row, 4);
  const auto* const begin = reinterpret_cast<const std::byte*>(payload.data());
  result.payload.assign(begin, begin + payload.size());
  if (const auto life = rows.optional_number(row, 5); life && *life < longest_life)
    result.time_to_live = Duration{*life};
  if (!rows.is_null(row, 6))
    result.context = rows.text(row, 6);
  return result;
}

class PgIntake final : public Intake {
public:
  PgIntake(std::shared_ptr<const PgWish> wish, std::shared_ptr<PgBoard> board)
    : wish_(std::move(wish)), board_(std::move(board)), row_limit_(wish_->options.max_row) {
    if (wish_->options.find_zone != nullptr)
      entries_ = std::make_unique<PgDueEntries>(wish_, board_);
  }

  std::vector<IncomingMessage> take(std::size_t at_most,
                                    const std::unordered_set<std::uint64_t>& held) override {
    return call([&] { return look(at_most, held); });
  }

  void catch_up() override {
    newest_.reset();
    has_caught_up_ = false;
  }

  bool has_caught_up() const override { return has_caught_up_; }

  void give_back(std::span<const std::uint64_t> rows) override {
    for (const auto row : rows)
      late_.go_down_to({row - 1});
  }

  void wait(Duration at_most) override {
    call([&] {
      if (!is_asleep_ && !crowd_.is_there(Clock::now()))
        fall_asleep(); // the caller looks again before it waits
      else
        session_->connection().wait_for_notification(
          std::min({at_most, longest_pause(), until_entry_is_due()}));
      return 0;
    });
  }

  std::optional<CalendarOutlook> calendar() const override {
    return has_calendar_ ? std::optional{entries_->outlook()} : std::nullopt;
  }

  void interrupt() override { interrupt_.raise(); }

private:
  using Clock = std::chrono::steady_clock;

  // A row that is there.
  struct Found {
    std::uint64_t row;
    std::int64_t bytes;
    PgPlace place;
  };

  template <class F>
  auto call(const F& f) -> decltype(f()) {
    try {
      connect();
      return f();
    } catch (const PgInterrupted&) {
      session_.reset();
      return {};
    } catch (const PgRefusal& refusal) {
      session_.reset();
      throw pg_store_error(wish_->target.name, refusal);
    } catch (const PgLost& lost) {
      session_.reset();
      throw pg_store_error(wish_->target.name, lost);
    }
  }

  void connect() {
    if (interrupt_.is_raised())
      throw PgInterrupted{};
    if (session_)
      return;
    auto session = std::make_unique<PgSession>(wish_, PgSession::Purpose::own, &interrupt_);
    check(*session);
    auto& connection = session->connection();
    connection.run({&set_up_intake});
    connection.prepare(intake_statements);
    connection.run_script("LISTEN backoff_" + std::to_string(session->outbox()) + "_0");
    has_calendar_ = entries_ && entries_->begin(*session);
    session_ = std::move(session);
    is_asleep_ = false;
    unaware_.clear();
    seen_before_.reset();
    late_ = {};
    top_ = 0;
    last_due_ = due_until_ = PgPlace{}.due;
    full_look_at_ = Clock::now() + without_floor;
  }

  // Rows that have become deliveries may be there again.
  void check(PgSession& session) const {
    const auto made = board_->commit_no(); // before the look, for more may be made meanwhile
    if (session.look().commit_no < made)
      throw StoreError(StoreFailure::unreachable,
                       wish_->target.name
                         + ": the server has lost commits, as it does after a failover to a "
                           "replica that was behind; no rows are read until this process has made "
                           "them again");
  }

  std::string outbox() const { return pg_int4(session_->outbox()); }

  void say(bool is_asleep) {
    session_->connection().run({&set_asleep, {outbox(), pg_bool(is_asleep)}});
    is_asleep_ = is_asleep;
    unaware_.clear();
  }

  void fall_asleep() {
    say(true);
    unaware_ = read_writers(session_->connection().run({&find_writers}));
    asleep_since_ = Clock::now();
  }

  Duration longest_pause() const {
    if (!is_asleep_)
      return std::clamp<Duration>((Clock::now() - found_at_) / awake_part, shortest_pause,
                                  longest_awake_pause);
    if (unaware_.empty())
      return Duration::max();
    return std::max<Duration>(shortest_pause, (Clock::now() - asleep_since_) / pause_part);
  }

  Duration until_entry_is_due() const {
    return has_calendar_ ? entries_->until_due() : Duration::max();
  }

  std::vector<IncomingMessage> look(std::size_t at_most,
                                    const std::unordered_set<std::uint64_t>& held) {
    if (until_entry_is_due() <= Duration::zero())
      entries_->run(*session_);
    const auto now = Clock::now();
    if (is_asleep_ && crowd_.is_there(now))
      say(false);
    const auto is_full = now >= full_look_at_;
    if (is_full)
      late_.go_down_to({});
    const auto limit = static_cast<std::int64_t>(at_most);
    const auto with_held = limit + static_cast<std::int64_t>(held.size());
    const auto old_top = top_;
    const auto passed = late_.floor();
    const auto late_above = [&](std::uint64_t floor) -> PgCall {
      return {&find_late, {outbox(), pg_int8(floor), pg_int8(old_top), pg_int8(with_held)}};
    };
    const auto due_above = [&](std::int64_t floor) -> PgCall {
      // With version 1 of the tables a row's time may be over when it is inserted.
      const auto from = session_->schema() > 1 ? floor : PgPlace{}.due;
      return {&find_due, {outbox(), pg_int8(with_held), pg_int8(from)}};
    };
    std::vector<PgCall> calls{
      {&take_new,
       {outbox(), pg_int8(old_top), pg_int8(limit), pg_int8(bytes_of_a_look), pg_int8(row_limit_)}},
      {&read_snapshot},
      late_above(passed.row),
      due_above(passed.due)};
    const auto asks = late_.is_to_ask({old_top, last_due_}, now);
    if (asks)
      calls.insert(calls.begin() + 2, {&find_writers});
    const auto looks_for_newest = !has_caught_up_ && !newest_;
    if (looks_for_newest)
      calls.push_back({&find_newest, {outbox()}});
    if (has_calendar_)
      calls.push_back(entries_->next_call());
    auto rows = session_->connection().run(calls);
    if (has_calendar_) {
      entries_->note_next(rows.back());
      rows.pop_back();
    }
    if (looks_for_newest) {
      newest_ = static_cast<std::uint64_t>(rows.back().number(0, 0));
      rows.pop_back();
    }
    auto due_rows = std::move(rows.back());
    rows.pop_back();
    auto late_rows = std::move(rows.back());
    const PgSnapshot seen{rows[1].text(0, 0)};
    const auto due_until = rows[1].number(0, 1);
    // Some may have ended after this look took new rows. So those go that ended before it.
    if (seen_before_)
      std::erase_if(unaware_, [&](std::uint32_t x) { return seen_before_->has_ended(x); });
    if (due_until < due_until_) // the server's clock was set back
      late_ = {};
    due_until_ = due_until;
    const auto floor = late_.floor_of_ended(seen);
    if (floor.row < passed.row)
      late_rows = session_->connection().run(late_above(floor.row));
    if (floor.due < passed.due)
      due_rows = session_->connection().run(due_above(floor.due));
    const auto sees_all = late_rows.size() < with_held;
    std::vector<IncomingMessage> result;
    std::int64_t bytes = 0;
    const auto late = free_of(late_rows, late_place, held);
    const auto taken_late = some_of(late, at_most, bytes);
    append(result, taken_late);
    for (auto row = 0; row < rows[0].size() && result.size() < at_most && bytes < bytes_of_a_look;
         ++row) {
      top_ = static_cast<std::uint64_t>(rows[0].number(row, 0));
      if (held.contains(top_)) // the session before has taken it
        continue;
      result.push_back(read_row(rows[0], row, row_limit_));
      bytes += static_cast<std::int64_t>(result.back().size());
    }
    if (asks)
      late_.note_writers(read_writers(rows[2]), {old_top, due_until}, {top_, due_until}, now);
    if (newest_ && sees_all && taken_late.size() == late.size()
        && (top_ >= *newest_ || rows[0].size() == 0)) {
      newest_.reset();
      has_caught_up_ = true;
    }
    const auto due = free_of(due_rows, due_place, held);
    const auto taken_due = some_of(due, at_most - result.size(), bytes);
    append(result, taken_due);
    if (due_rows.size() > 0)
      last_due_ = due_until;
    auto left = highest_place;
    const auto leave = [&left](const PgPlace& place) {
      left = lower_of(left, {place.row - 1, place.due - 1});
    };
    if (taken_late.size() < late.size())
      leave(late[taken_late.size()].place);
    if (!sees_all)
      leave(late_place(late_rows, late_rows.size() - 1));
    if (taken_due.size() < due.size())
      leave(due[taken_due.size()].place);
    if (due_rows.size() >= with_held)
      leave(due_place(due_rows, due_rows.size() - 1));
    late_.note_look(seen, left, now);
    if (is_full) {
      const auto end = Clock::now();
      full_look_at_ = end + std::max<Duration>(without_floor, (end - now) * pause_of_full_looks);
    }
    seen_before_ = seen;
    if (!result.empty()) {
      crowd_.note(result.size(), seen.running(), now);
      found_at_ = now;
    }
    return result;
  }

  static std::uint64_t id_of(const PgRows& rows, int row) {
    return static_cast<std::uint64_t>(rows.number(row, 0));
  }

  static PgPlace late_place(const PgRows& rows, int row) {
    return {id_of(rows, row), highest_place.due};
  }

  static PgPlace due_place(const PgRows& rows, int row) {
    return {highest_place.row, rows.number(row, 2)};
  }

  // Those that nobody holds.
  static std::vector<Found> free_of(const PgRows& rows, PgPlace (*place_of)(const PgRows&, int),
                                    const std::unordered_set<std::uint64_t>& held) {
    std::vector<Found> result;
    for (auto row = 0; row < rows.size(); ++row)
      if (const auto id = id_of(rows, row); !held.contains(id))
        result.push_back({id, rows.number(row, 1), place_of(rows, row)});
    return result;
  }

  // The first of them, as many as there is room for.
  std::vector<std::uint64_t> some_of(const std::vector<Found>& found, std::size_t at_most,
                                     std::int64_t& bytes) const {
    std::vector<std::uint64_t> result;
    for (const auto& one : found) {
      if (result.size() >= at_most || bytes >= bytes_of_a_look)
        break;
      bytes += one.bytes <= row_limit_ ? one.bytes : 0;
      result.push_back(one.row);
    }
    return result;
  }

  void append(std::vector<IncomingMessage>& to, const std::vector<std::uint64_t>& these) {
    if (these.empty())
      return;
    PgArray numbers{int8};
    for (const auto row : these)
      numbers.add(static_cast<std::int64_t>(row));
    const auto rows =
      session_->connection().run({&take_these, {outbox(), numbers.take(), pg_int8(row_limit_)}});
    for (auto row = 0; row < rows.size(); ++row)
      to.push_back(read_row(rows, row, row_limit_));
  }

  const std::shared_ptr<const PgWish> wish_;
  const std::shared_ptr<PgBoard> board_;
  const std::int64_t row_limit_; // bytes
  PgInterrupt interrupt_{};
  std::unique_ptr<PgSession> session_{};    // null: it is not connected
  std::unique_ptr<PgDueEntries> entries_{}; // null: this process runs none
  bool has_calendar_ = false;               // of this session
  PgLateRows late_{};
  std::uint64_t top_ = 0;                  // the highest row that was taken
  std::int64_t last_due_ = PgPlace{}.due;  // when a look last found rows that were due
  std::int64_t due_until_ = PgPlace{}.due; // the server's clock at the last look
  std::optional<std::uint64_t> newest_{};  // what is to be reached; none: it is not known, or was
  bool has_caught_up_ = false;
  Clock::time_point full_look_at_{};
  PgCrowd crowd_{};
  Clock::time_point found_at_{}; // when a look last took something
  bool is_asleep_ = false;       // as the server knows it
  Clock::time_point asleep_since_{};
  std::vector<std::uint32_t> unaware_{};    // transactions that may not know that the intake sleeps
  std::optional<PgSnapshot> seen_before_{}; // of the last look of this session
};

} // namespace

std::unique_ptr<Intake> open_pg_intake(std::shared_ptr<const PgWish> wish,
                                       std::shared_ptr<PgBoard> board) {
  return std::make_unique<PgIntake>(std::move(wish), std::move(board));
}

} // namespace backoff_actor::detail
