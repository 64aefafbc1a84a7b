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
// The floor spares the look the dead entries of the index: those of rows that were taken. The
// intake raises it to a former top once all transactions have ended that were running when the top
// was seen. To know which these are, it takes a transaction number of its own: a snapshot's xmax is
// too low, for it leaves out what is running above all that has ended. A row gets its number after
// its transaction has got one, so all lower rows are of transactions with lower numbers than the
// intake's. Once a minute a look goes without the floor, all the same: a transaction that runs for
// long does not keep it down.
//
// Rows with `not_before` are taken by time, not by number.
//
// After an empty look the intake says in the table `outbox` that it sleeps, looks once more, and
// then waits. The trigger of `incoming` notifies only an owner that sleeps, for the server lets the
// notifications of all its transactions commit one at a time.
//
// The trigger runs when a row is inserted. So it may have found the owner awake in a transaction
// that commits later. All such transactions have lower numbers than one that the intake takes after
// it has said that it sleeps. Until they have ended, the intake goes on looking, with pauses that
// grow with the time. In REPEATABLE READ and SERIALIZABLE a snapshot may be older than the number
// of its transaction. Such a row may wait for the next look of an owner that sleeps.

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"
#include "backoff_actor/store/postgres/internal/postgres_delivery_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
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

// How often a look goes without the floor, and how long a transaction may keep the floor down.
constexpr std::chrono::seconds without_floor{60};
constexpr std::chrono::seconds longest_hold{30};

// The floor is raised no more often. Each time costs a transaction number.
constexpr std::chrono::milliseconds between_marks{10};

// An intake that finds something in so many looks in a row says that it is awake.
constexpr int busy_looks = 3;

// How long an intake that sleeps pauses between two looks, while transactions run that may not know
// it: this part of the time for which it has slept. So a row waits for a small part of the time
// that its transaction took, and a minute costs about 80 looks.
constexpr int pause_part = 8;
constexpr std::chrono::milliseconds shortest_pause{1};

// A deadline that is further away is none.
constexpr std::int64_t longest_life = 4'000'000'000'000'000'000;

// The intake writes nothing that matters.
const PgStatement set_up_intake{
  nullptr, "SELECT set_config('synchronous_commit', 'off', false)", {}};

const PgStatement read_xmin{
  "read_xmin", "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8", {}};
const PgStatement take_xid{"take_xid", "SELECT pg_current_xact_id()::text::int8", {}};

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
                           " FROM backoff.incoming WHERE outbox_id = $1 AND shard = 0 AND "
                           "not_before <= now() ORDER BY not_before, id LIMIT $2",
                           {int4, int8}};

const PgStatement take_these{
  "take_these",
  "SELECT " BACKOFF_ACTOR_ROW("$3") " FROM (SELECT *, " BACKOFF_ACTOR_SIZE
                                    " AS size FROM backoff.incoming WHERE outbox_id = $1 AND id = "
                                    "ANY($2)) i JOIN unnest($2) WITH ORDINALITY AS t(id, place) "
                                    "USING (id) ORDER BY place",
  {int4, int8_array, int8}};

const PgStatement set_asleep{
  "set_asleep", "UPDATE backoff.outbox SET is_asleep = $2 WHERE id = $1", {int4, boolean}};

constexpr std::array intake_statements{&read_xmin,   &take_xid, &take_new,   &find_late,
                                       &find_newest, &find_due, &take_these, &set_asleep};

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
  explicit PgIntake(std::shared_ptr<const PgWish> wish)
    : wish_(std::move(wish)), row_limit_(wish_->options.max_row) {}

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
      floor_ = std::min(floor_, row - 1);
    mark_.reset();
  }

  void wait(Duration at_most) override {
    call([&] {
      if (!is_asleep_)
        fall_asleep(); // the caller looks again before it waits
      else
        session_->connection().wait_for_notification(std::min(at_most, longest_pause()));
      return 0;
    });
  }

  void interrupt() override { interrupt_.raise(); }

private:
  using Clock = std::chrono::steady_clock;

  // The transactions that were running after `top` was seen.
  struct Mark {
    std::uint64_t top;
    std::int64_t ends; // above the numbers of all of them
    Clock::time_point at;
  };

  // A row that is there.
  struct Found {
    std::uint64_t row;
    std::int64_t bytes;
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
    auto& connection = session->connection();
    connection.run({&set_up_intake});
    connection.prepare(intake_statements);
    connection.run_script("LISTEN backoff_" + std::to_string(session->outbox()) + "_0");
    session_ = std::move(session);
    is_asleep_ = false;
    unaware_below_ = 0;
    floor_ = 0;
    top_ = 0;
    mark_.reset();
    full_look_at_ = Clock::now() + without_floor;
  }

  std::string outbox() const { return pg_int4(session_->outbox()); }

  void say(bool is_asleep) {
    session_->connection().run({&set_asleep, {outbox(), pg_bool(is_asleep)}});
    is_asleep_ = is_asleep;
    unaware_below_ = 0;
  }

  void fall_asleep() {
    say(true);
    unaware_below_ = session_->connection().run({&take_xid}).number(0, 0);
    asleep_since_ = Clock::now();
  }

  Duration longest_pause() const {
    if (unaware_below_ == 0)
      return Duration::max();
    return std::max<Duration>(shortest_pause, (Clock::now() - asleep_since_) / pause_part);
  }

  std::vector<IncomingMessage> look(std::size_t at_most,
                                    const std::unordered_set<std::uint64_t>& held) {
    if (is_asleep_ && busy_ >= busy_looks)
      say(false);
    const auto now = Clock::now();
    if (now >= full_look_at_) {
      floor_ = 0;
      mark_.reset();
      full_look_at_ = now + without_floor;
    }
    const auto limit = static_cast<std::int64_t>(at_most);
    const auto with_held = limit + static_cast<std::int64_t>(held.size());
    std::vector<PgCall> calls{
      {&read_xmin},
      {&take_new,
       {outbox(), pg_int8(top_), pg_int8(limit), pg_int8(bytes_of_a_look), pg_int8(row_limit_)}},
      {&find_late, {outbox(), pg_int8(floor_), pg_int8(top_), pg_int8(with_held)}},
      {&find_due, {outbox(), pg_int8(with_held)}}};
    const auto old_top = top_;
    const auto is_to_mark = !mark_ && top_ > floor_ && now >= next_mark_at_;
    if (is_to_mark)
      calls.push_back({&take_xid});
    if (!has_caught_up_ && !newest_)
      calls.push_back({&find_newest, {outbox()}});
    const auto rows = session_->connection().run(calls);
    if (!has_caught_up_ && !newest_)
      newest_ = static_cast<std::uint64_t>(rows.back().number(0, 0));
    const auto xmin = rows[0].number(0, 0);
    if (xmin >= unaware_below_)
      unaware_below_ = 0;
    std::vector<IncomingMessage> result;
    std::int64_t bytes = 0;
    const auto late = free_of(rows[2], held);
    const auto taken_late = some_of(late, at_most, bytes);
    raise_floor(xmin, now, rows[2].size() < with_held,
                taken_late.size() < late.size() ? late[taken_late.size()].row : 0);
    append(result, taken_late);
    for (auto row = 0; row < rows[1].size() && result.size() < at_most && bytes < bytes_of_a_look;
         ++row) {
      top_ = static_cast<std::uint64_t>(rows[1].number(row, 0));
      if (held.contains(top_)) // the session before has taken it
        continue;
      result.push_back(read_row(rows[1], row, row_limit_));
      bytes += static_cast<std::int64_t>(result.back().size());
    }
    if (newest_ && rows[2].size() < with_held && taken_late.size() == late.size()
        && (top_ >= *newest_ || rows[1].size() == 0)) {
      newest_.reset();
      has_caught_up_ = true;
    }
    append(result, some_of(free_of(rows[3], held), at_most - result.size(), bytes));
    if (is_to_mark) {
      mark_ = Mark{old_top, rows[4].number(0, 0), now};
      next_mark_at_ = now + between_marks;
    }
    busy_ = result.empty() ? 0 : busy_ + 1;
    return result;
  }

  static std::vector<Found> free_of(const PgRows& rows,
                                    const std::unordered_set<std::uint64_t>& held) {
    std::vector<Found> result;
    for (auto row = 0; row < rows.size(); ++row)
      if (const auto id = static_cast<std::uint64_t>(rows.number(row, 0)); !held.contains(id))
        result.push_back({id, rows.number(row, 1)});
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

  // @param xmin the number of the first transaction that was running before the look
  // @param saw_all whether the look saw all late rows
  // @param left a late row that was seen and is not taken; 0: none
  void raise_floor(std::int64_t xmin, Clock::time_point now, bool saw_all, std::uint64_t left) {
    if (!mark_ || !saw_all || (xmin < mark_->ends && now - mark_->at < longest_hold))
      return;
    floor_ = left == 0 ? mark_->top : std::min(mark_->top, left - 1);
    mark_.reset();
  }

  const std::shared_ptr<const PgWish> wish_;
  const std::int64_t row_limit_; // bytes
  PgInterrupt interrupt_{};
  std::unique_ptr<PgSession> session_{}; // null: it is not connected
  std::uint64_t floor_ = 0;
  std::uint64_t top_ = 0;
  std::optional<Mark> mark_{};
  std::optional<std::uint64_t> newest_{}; // what is to be reached; none: it is not known, or was
  bool has_caught_up_ = false;
  Clock::time_point next_mark_at_{};
  Clock::time_point full_look_at_{};
  int busy_ = 0;           // looks in a row that found something
  bool is_asleep_ = false; // as the server knows it
  Clock::time_point asleep_since_{};
  // Transactions with lower numbers may not know that the intake sleeps; 0: all know.
  std::int64_t unaware_below_ = 0;
};

} // namespace

std::unique_ptr<Intake> open_pg_intake(std::shared_ptr<const PgWish> wish) {
  return std::make_unique<PgIntake>(std::move(wish));
}

} // namespace backoff_actor::detail
