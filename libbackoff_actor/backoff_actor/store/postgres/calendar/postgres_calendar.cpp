#include "backoff_actor/store/postgres/calendar/postgres_calendar.hpp"

#include "backoff_actor/calendar/internal/calendar_row.hpp"
#include "backoff_actor/store/postgres/calendar/internal/pg_times.hpp"
#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_schema.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <chrono>
#include <utility>

namespace backoff_actor {

namespace detail {

namespace {

using namespace pg_type;

// $5 and $9 in microseconds, 0: none. An empty context is none, too.
const PgStatement put_entry{
  nullptr,
  "INSERT INTO backoff.calendar AS c(outbox, name, schedule, missed, grace, type, payload, key, "
  "time_to_live, context) VALUES($1, $2, $3, $4, $5 * interval '1 us', $6, $7, $8, nullif($9, 0) * "
  "interval "
  "'1 us', nullif($10, '')) ON CONFLICT (outbox, name) DO UPDATE SET schedule = excluded.schedule, "
  "missed = excluded.missed, grace = excluded.grace, type = excluded.type, payload = "
  "excluded.payload, key = excluded.key, time_to_live = excluded.time_to_live, context = "
  "excluded.context WHERE (c.schedule, c.missed, c.grace, c.type, c.payload, c.key, "
  "c.time_to_live, c.context) IS DISTINCT FROM (excluded.schedule, excluded.missed, "
  "excluded.grace, excluded.type, excluded.payload, excluded.key, excluded.time_to_live, "
  "excluded.context) RETURNING xmax = 0",
  {text, text, text, text, int8, text, bytea, text, int8, text}};

const PgStatement list_entries{
  nullptr,
  "SELECT name, schedule, missed, (least(extract(epoch FROM grace), 9e9) * 1e9)::int8, is_paused, "
  "type, key, decided_until, CASE WHEN is_paused OR NOT isfinite(next_at) THEN NULL ELSE next_at "
  "END, problem FROM backoff.calendar WHERE outbox = $1 ORDER BY name COLLATE \"C\"",
  {text}};

constexpr auto pause_entry =
  "UPDATE backoff.calendar SET is_paused = true WHERE outbox = $1 AND name = $2 RETURNING ''";
constexpr auto resume_entry =
  "UPDATE backoff.calendar SET is_paused = false WHERE outbox = $1 AND name = $2 RETURNING ''";
constexpr auto remove_entry =
  "DELETE FROM backoff.calendar WHERE outbox = $1 AND name = $2 RETURNING ''";

const PgStatement run_entry{
  nullptr,
  "INSERT INTO backoff.incoming(outbox, type, payload, key, idempotency_key, deadline, context) "
  "SELECT outbox, type, payload, key, name || '@' || to_char(clock_timestamp() AT TIME ZONE 'UTC', "
  "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), clock_timestamp() + time_to_live, context FROM "
  "backoff.calendar WHERE outbox = $1 AND name = $2 RETURNING idempotency_key",
  {text, text}};

Problems problems_of(const CalendarEntry& entry, const IncomingMessage& message) {
  auto result = check(entry);
  if (message.type.empty())
    result.add("message.type", "nothing", "the name of a decoder of the owner");
  if (!message.idempotency_key.empty())
    result.add("message.idempotency_key", "'" + message.idempotency_key + "'",
               "nothing: each run has a key of its own");
  if (message.time_to_live && *message.time_to_live < std::chrono::microseconds{1})
    result.add("message.time_to_live", to_string(*message.time_to_live), "1us and more, or none");
  return result;
}

std::string microseconds(Duration span) {
  return pg_int8(std::int64_t{std::chrono::floor<std::chrono::microseconds>(span).count()});
}

const PgStatement find_outbox{
  nullptr, "SELECT name FROM backoff.outbox_state WHERE name = $1", {text}};

enum class Outbox { is_there, is_made };

// Calls `f` with a connection for an outbox that is there, or that is made.
template <class F>
auto with_outbox(const PostgresAddress& address, bool is_to_write, Outbox outbox, const F& f) {
  const auto wish = pg_wish(address, {});
  const auto& name = wish->target.name;
  return with_pg_connection(wish->target, is_to_write, [&](PgConnection& connection) {
    if (check_pg_schema(connection, name) < first_schema_with_calendar)
      throw StoreError(StoreFailure::cannot_open,
                       name + ": its tables have no calendar; run backoffctl outbox migrate");
    if (outbox == Outbox::is_made)
      create_pg_outbox(connection, wish->outbox);
    else if (connection.run({&find_outbox, {wish->outbox}}).size() == 0)
      throw StoreError(StoreFailure::cannot_open, name + ": there is no outbox of this name");
    return f(connection);
  });
}

} // namespace

} // namespace detail

PostgresCalendar::PostgresCalendar(const PostgresAddress& address) : address_(address) {
  check(address).raise_if_any();
}

CalendarChange PostgresCalendar::put(const CalendarEntry& entry,
                                     const IncomingMessage& message) const {
  detail::problems_of(entry, message).raise_if_any();
  const auto* const payload = reinterpret_cast<const char*>(message.payload.data());
  return detail::with_outbox(
    address_, true, detail::Outbox::is_made, [&](detail::PgConnection& connection) {
      const detail::PgCall call{
        &detail::put_entry,
        {address_.outbox, entry.name, to_string(entry.schedule),
         std::string{to_string(entry.missed)}, detail::microseconds(entry.grace), message.type,
         std::string{payload, message.payload.size()}, message.key,
         detail::microseconds(message.time_to_live.value_or(Duration::zero())), message.context}};
      const auto rows = connection.run(call);
      if (rows.size() == 0)
        return CalendarChange::unchanged;
      return rows.is_true(0, 0) ? CalendarChange::added : CalendarChange::changed;
    });
}

std::vector<PostgresCalendarEntry> PostgresCalendar::list() const {
  return detail::with_outbox(
    address_, false, detail::Outbox::is_there, [&](detail::PgConnection& connection) {
      const auto rows = connection.run({&detail::list_entries, {address_.outbox}});
      std::vector<PostgresCalendarEntry> result;
      for (auto row = 0; row < rows.size(); ++row) {
        auto& one = result.emplace_back();
        one.name = rows.text(row, 0);
        one.schedule = rows.text(row, 1);
        one.missed = detail::find_missed(rows.text(row, 2)).value_or(Missed::run_once);
        one.grace = Duration{rows.number(row, 3)};
        one.is_paused = rows.is_true(row, 4);
        one.type = rows.text(row, 5);
        one.key = rows.text(row, 6);
        one.decided_until = detail::wall_time_of_pg(rows.number(row, 7));
        if (!rows.is_null(row, 8))
          one.next = detail::wall_time_of_pg(rows.number(row, 8));
        one.problem = rows.text(row, 9);
      }
      return result;
    });
}

bool PostgresCalendar::change(const char* sql, const std::string& name) const {
  const detail::PgStatement statement{nullptr, sql, {detail::pg_type::text, detail::pg_type::text}};
  return detail::with_outbox(
    address_, true, detail::Outbox::is_there, [&](detail::PgConnection& connection) {
      return connection.run({&statement, {address_.outbox, name}}).size() > 0;
    });
}

bool PostgresCalendar::pause(const std::string& name) const {
  return change(detail::pause_entry, name);
}

bool PostgresCalendar::resume(const std::string& name) const {
  return change(detail::resume_entry, name);
}

bool PostgresCalendar::remove(const std::string& name) const {
  return change(detail::remove_entry, name);
}

std::optional<std::string> PostgresCalendar::run_now(const std::string& name) const {
  return detail::with_outbox(
    address_, true, detail::Outbox::is_there,
    [&](detail::PgConnection& connection) -> std::optional<std::string> {
      const auto rows = connection.run({&detail::run_entry, {address_.outbox, name}});
      if (rows.size() == 0)
        return std::nullopt;
      return rows.text(0, 0);
    });
}

} // namespace backoff_actor
