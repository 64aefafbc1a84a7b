#include "backoff_actor/store/postgres/calendar/internal/pg_due_entries.hpp"

#include "backoff_actor/store/postgres/calendar/internal/pg_times.hpp"
#include "backoff_actor/store/postgres/internal/pg_schema.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace backoff_actor::detail {

namespace {

using namespace pg_type;

// How many entries one step decides about, how many runs it makes, and how many of one entry.
constexpr std::size_t entries_of_a_step = 1000;
constexpr std::size_t runs_of_a_step = 1000;
constexpr std::size_t runs_of_an_entry = 100;

// How long entries that somebody has locked wait, and an owner that is none any more.
constexpr std::chrono::milliseconds pause{10};

constexpr std::chrono::seconds full_look_period{60};

// Times are told that do not run if the first of them was missed by more than this. How many are
// counted.
constexpr std::chrono::seconds standstill{60};
constexpr std::size_t most_left_out = 1000;

// An entry that is due still later is shown as due then.
constexpr std::chrono::hours longest_outlook{24 * 366 * 100};

// Entries with a problem may have none for this process: it may have other zones.
const PgStatement look_again{
  nullptr,
  "UPDATE backoff.calendar SET next_at = '-infinity' WHERE outbox = $1 AND NOT is_paused AND "
  "next_at = 'infinity' AND problem <> ''",
  {text}};

// The trigger of `incoming` has nobody to wake: the same session looks next.
const PgStatement tell_nobody{nullptr, "SELECT set_config('backoff.notify', 'off', false)", {}};

const PgStatement find_next_entry{
  "find_next_entry",
  "SELECT coalesce((SELECT next_at FROM backoff.calendar WHERE outbox = $1 AND NOT is_paused AND "
  "next_at = '-infinity' LIMIT 1), (SELECT next_at FROM backoff.calendar WHERE outbox = $1 AND NOT "
  "is_paused AND next_at > $2 AND next_at < 'infinity' ORDER BY next_at LIMIT 1)), "
  "clock_timestamp(), (SELECT count(*) FROM backoff.calendar WHERE outbox = $1 AND NOT is_paused "
  "AND next_at = 'infinity' AND problem <> '')",
  {text, timestamptz}};

#define BACKOFF_ACTOR_ENTRY                                                                        \
  "SELECT name, xmin::text::int8, schedule, missed, (least(extract(epoch FROM grace), 9e9) * "     \
  "1e9)::int8, decided_until, now() FROM backoff.calendar WHERE outbox = $1 AND NOT is_paused "    \
  "AND "

// What somebody has locked takes no place of others. The locks end with the reading.
#define BACKOFF_ACTOR_UNLOCKED " LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED"

const PgStatement find_new_entries{"find_new_entries",
                                   BACKOFF_ACTOR_ENTRY
                                   "next_at = '-infinity'" BACKOFF_ACTOR_UNLOCKED,
                                   {text, int8}};

const PgStatement find_due_entries{
  "find_due_entries",
  BACKOFF_ACTOR_ENTRY "next_at > $3 AND next_at <= now() ORDER BY next_at" BACKOFF_ACTOR_UNLOCKED,
  {text, int8, timestamptz}};

// Those of both that are there, locked or not.
const PgStatement count_entries{
  "count_entries",
  "SELECT (SELECT count(*) FROM (SELECT FROM backoff.calendar WHERE outbox = $1 AND NOT is_paused "
  "AND next_at = '-infinity' LIMIT $2) a) + (SELECT count(*) FROM (SELECT FROM backoff.calendar "
  "WHERE outbox = $1 AND NOT is_paused AND next_at > $3 AND next_at <= now() LIMIT $2) b)",
  {text, int8, timestamptz}};

// $4 to $8: the entries. $9 and $10: the runs, in their order.
const PgStatement move_entries{
  "move_entries",
  "WITH own AS MATERIALIZED (SELECT FROM backoff.shard WHERE outbox = $1 AND shard = 0 AND epoch = "
  "$2 FOR SHARE), t AS MATERIALIZED (SELECT * FROM unnest($4, $5, $6, $7, $8) AS t(name, version, "
  "decided_until, next_at, problem)), free AS MATERIALIZED (SELECT c.ctid FROM backoff.calendar c "
  "JOIN t USING (name) WHERE c.outbox = $3 AND c.name = ANY($4) AND NOT c.is_paused AND EXISTS "
  "(SELECT FROM own) AND c.xmin::text::int8 = t.version FOR UPDATE OF c SKIP LOCKED), moved AS "
  "(UPDATE backoff.calendar c SET decided_until = t.decided_until, next_at = t.next_at, problem = "
  "t.problem FROM t WHERE c.ctid = ANY(ARRAY(SELECT ctid FROM free)) AND t.name = c.name RETURNING "
  "c.name, c.type, c.payload, c.key, c.time_to_live, c.context), runs AS (INSERT INTO "
  "backoff.incoming(outbox, type, payload, key, idempotency_key, deadline, context) SELECT $3, "
  "m.type, m.payload, m.key, r.key, clock_timestamp() + m.time_to_live, m.context FROM unnest($9, "
  "$10) WITH ORDINALITY AS r(name, key, place) JOIN moved m USING (name) ORDER BY r.place) SELECT "
  "name FROM moved",
  {int4, int8, text, text_array, int8_array, timestamptz_array, timestamptz_array, text_array,
   text_array, text_array}};

constexpr std::array calendar_statements{&find_next_entry, &find_new_entries, &find_due_entries,
                                         &count_entries, &move_entries};

// Whether a refusal is due to what an entry says.
bool is_about_values(const PgRefusal& refusal) {
  const std::string_view state = refusal.state;
  return state.starts_with("BA0") || state.starts_with("22") || state.starts_with("23")
         || state.starts_with("54");
}

} // namespace

PgDueEntries::PgDueEntries(std::shared_ptr<const PgWish> wish, std::shared_ptr<PgBoard> board)
  : wish_(std::move(wish)), board_(std::move(board)) {}

bool PgDueEntries::begin(PgSession& session) {
  if (session.schema() < first_schema_with_calendar) {
    if (std::exchange(is_first_, false))
      board_->tell(wish_->target.name
                   + ": its tables have no calendar, and no entry runs; run backoffctl outbox "
                     "migrate");
    return false;
  }
  auto& connection = session.connection();
  connection.run({&tell_nobody});
  connection.prepare(calendar_statements);
  if (is_first_)
    connection.run({&look_again, {wish_->outbox}});
  is_first_ = false;
  next_at_ = Clock::now();
  floor_ = before_all;
  full_look_at_ = Clock::now() + full_look_period;
  return true;
}

// -- when something is due -----------------------------------------------------------------------

PgCall PgDueEntries::next_call() {
  if (const auto now = Clock::now(); now >= full_look_at_) {
    floor_ = before_all;
    full_look_at_ = now + full_look_period;
  }
  return {&find_next_entry, {wish_->outbox, pg_int8(floor_)}};
}

void PgDueEntries::note_next(const PgRows& rows) {
  const auto now = Clock::now();
  problems_ = static_cast<std::uint64_t>(rows.number(0, 2));
  due_at_.reset();
  if (rows.is_null(0, 0)) {
    next_at_ = now + full_look_period;
    return;
  }
  const auto at = wall_time_of_pg(rows.number(0, 0));
  const auto server = wall_time_of_pg(rows.number(0, 1));
  const auto left = Instant{Duration{at.since_epoch}} - Instant{Duration{server.since_epoch}};
  // A new entry is not overdue.
  const auto is_new = rows.number(0, 0) == -pg_infinity - 1;
  due_at_ = is_new ? now : now + std::clamp<Duration>(left, -longest_outlook, longest_outlook);
  next_at_ =
    std::max(not_before_, now + std::clamp<Duration>(left, Duration::zero(), full_look_period));
}

Duration PgDueEntries::until_due() const {
  return std::max<Duration>(next_at_ - Clock::now(), Duration::zero());
}

CalendarOutlook PgDueEntries::outlook() const {
  CalendarOutlook result{.problems = problems_};
  if (due_at_)
    result.next_in = *due_at_ - Clock::now();
  return result;
}

// -- what is due ---------------------------------------------------------------------------------

void PgDueEntries::run(PgSession& session) {
  const auto floor_before = floor_;
  auto due = find(session);
  if (due.empty())
    return;
  const auto moved = [&] {
    try {
      return move(session, due);
    } catch (const PgRefusal& refusal) {
      if (!is_about_values(refusal))
        throw;
      return move_each(session, due);
    }
  }();
  if (moved < due.size()) { // the others stay where they are
    floor_ = floor_before;
    not_before_ = Clock::now() + pause;
  }
  // The clock may have been set back, and an entry may have more runs.
  for (const auto& one : due)
    if (one.step.next)
      floor_ = std::min(floor_, pg_time_of(*one.step.next) - 1);
}

std::vector<PgDueEntries::Due> PgDueEntries::find(PgSession& session) {
  const auto limit = pg_int8(std::int64_t{entries_of_a_step});
  const std::array calls{PgCall{&find_new_entries, {wish_->outbox, limit}},
                         PgCall{&find_due_entries, {wish_->outbox, limit, pg_int8(floor_)}},
                         PgCall{&count_entries, {wish_->outbox, limit, pg_int8(floor_)}}};
  const auto rows = session.connection().run(calls);
  std::vector<Due> result;
  room_ = runs_of_a_step;
  decide(rows[0], result);
  decide(rows[1], result);
  const auto found = static_cast<std::size_t>(rows[0].size() + rows[1].size());
  const auto sees_all = static_cast<std::size_t>(rows[2].number(0, 0)) == found;
  if (!sees_all)
    not_before_ = Clock::now() + pause;
  if (rows[1].size() > 0 && result.size() == found && sees_all && found < entries_of_a_step)
    floor_ = std::max(floor_, rows[1].number(0, 6)); // all that was due by then
  return result;
}

void PgDueEntries::decide(const PgRows& rows, std::vector<Due>& due) {
  for (auto row = 0; row < rows.size() && room_ > 0; ++row) {
    const CalendarRow entry{rows.text(row, 0), rows.text(row, 2), rows.text(row, 3),
                            Duration{rows.number(row, 4)}, wall_time_of_pg(rows.number(row, 5))};
    const auto now = wall_time_of_pg(rows.number(row, 6));
    auto step =
      calendar_step(entry, wish_->options.find_zone, now, std::min(room_, runs_of_an_entry));
    room_ -= step.run.size();
    const auto left = left_out(entry, step, now);
    due.push_back({entry.name, rows.number(row, 1), entry.decided_until, std::move(step), left});
  }
}

PgDueEntries::LeftOut PgDueEntries::left_out(const CalendarRow& entry, const CalendarStep& step,
                                             WallTime now) const {
  const auto is_old = [now](WallTime time) {
    return Instant{Duration{now.since_epoch}} - Instant{Duration{time.since_epoch}} > standstill;
  };
  LeftOut result;
  if (!step.problem.empty() || find_missed(entry.missed) == Missed::run_all
      || !is_old(entry.decided_until))
    return result;
  const auto schedule = parse_schedule(entry.schedule, wish_->options.find_zone);
  for (auto time = schedule.next_after(entry.decided_until);
       time && *time <= step.decided_until && result.count < most_left_out;
       time = schedule.next_after(*time)) {
    if (!step.run.empty() && *time == step.run.back())
      continue;
    if (result.count == 0 && !is_old(*time))
      return result;
    if (++result.count == 1)
      result.first = *time;
  }
  return result;
}

// Returns how many were as they had been read.
std::size_t PgDueEntries::move(PgSession& session, std::span<const Due> due) const {
  PgArray names{text};
  PgArray versions{int8};
  PgArray decided{timestamptz};
  PgArray next{timestamptz};
  PgArray problems{text};
  std::vector<std::pair<WallTime, std::string_view>> runs;
  for (const auto& one : due) {
    names.add(one.name);
    versions.add(one.version);
    decided.add(pg_time_of(one.step.decided_until));
    next.add(one.step.next ? pg_time_of(*one.step.next) : pg_infinity);
    problems.add(one.step.problem);
    for (const auto time : one.step.run)
      runs.emplace_back(time, one.name);
  }
  std::ranges::sort(runs);
  PgArray names_of_runs{text};
  PgArray keys{text};
  for (const auto& [time, name] : runs) {
    names_of_runs.add(name);
    keys.add(run_key(name, time));
  }
  const auto moved =
    session.connection().run({&move_entries,
                              {pg_int4(session.outbox()), pg_int8(board_->epoch()), wish_->outbox,
                               names.take(), versions.take(), decided.take(), next.take(),
                               problems.take(), names_of_runs.take(), keys.take()}});
  std::unordered_set<std::string_view> these;
  for (auto row = 0; row < moved.size(); ++row)
    these.insert(moved.bytes(row, 0));
  std::vector<const Due*> with_times_left_out;
  for (const auto& one : due) {
    if (!these.contains(one.name))
      continue;
    if (!one.step.problem.empty())
      tell_problem(one);
    if (one.left_out.count > 0)
      with_times_left_out.push_back(&one);
  }
  tell_left_out(with_times_left_out);
  return these.size();
}

void PgDueEntries::tell_problem(const Due& due) const {
  board_->tell(wish_->target.name + ": calendar entry '" + due.name
               + "' does not run: " + due.step.problem);
}

// One notice for all, for there may be many after a standstill.
void PgDueEntries::tell_left_out(std::span<const Due* const> due) const {
  if (due.empty())
    return;
  const auto& [count, first] = due.front()->left_out;
  auto text = wish_->target.name + ": calendar entry '" + due.front()->name + "': ";
  text.append(std::to_string(count)).append(count == most_left_out ? " or more" : "");
  text.append(count == 1 ? " time was" : " times were");
  text.append(" missed and will not run, the first ").append(to_string(first));
  if (due.size() > 1)
    text.append("; other entries with such times: ").append(std::to_string(due.size() - 1));
  board_->tell(std::move(text));
}

std::size_t PgDueEntries::move_each(PgSession& session, std::span<Due> due) {
  std::size_t result = 0;
  for (auto& one : due) {
    try {
      result += move(session, {&one, 1});
    } catch (const PgRefusal& refusal) {
      if (!is_about_values(refusal))
        throw;
      one.step = {.decided_until = one.read_until,
                  .problem = "the server refuses a run: " + refusal.text};
      one.left_out = {};
      result += move(session, {&one, 1});
    }
  }
  return result;
}

} // namespace backoff_actor::detail
