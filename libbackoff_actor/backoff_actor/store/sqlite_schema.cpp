#include "backoff_actor/store/internal/sqlite_schema.hpp"

#include <SQLiteCpp/Statement.h>

#include <initializer_list>
#include <map>
#include <string_view>

#include <sqlite3.h>

namespace backoff_actor::detail {

namespace {

// Columns that were added to the tables of earlier versions. Their texts are those that SQLite's
// ALTER TABLE inserts into the text of a table.
constexpr std::string_view hand_overs = "hand_overs INTEGER NOT NULL DEFAULT 0";
constexpr std::string_view commits = "commits INTEGER NOT NULL DEFAULT 0";
constexpr std::string_view is_open = "is_open INTEGER NOT NULL DEFAULT 1";
constexpr std::string_view keys_since = "keys_since INTEGER NOT NULL DEFAULT -9000000000000000000";
constexpr std::string_view text = "text BLOB NOT NULL DEFAULT x''";
constexpr std::string_view context = "context BLOB NOT NULL DEFAULT x''";

constexpr auto keys_table =
  "CREATE TABLE acknowledged_keys(id INTEGER PRIMARY KEY, idempotency_key BLOB NOT NULL, "
  "at INTEGER NOT NULL) STRICT";

constexpr auto answers_table =
  "CREATE TABLE answers(id INTEGER PRIMARY KEY, idempotency_key BLOB NOT NULL UNIQUE, "
  "at INTEGER NOT NULL, bytes INTEGER NOT NULL, types BLOB NOT NULL, answer BLOB NOT NULL) STRICT";

std::string with(std::initializer_list<std::string_view> columns) {
  std::string result;
  for (const auto column : columns)
    result.append(", ").append(column);
  return result;
}

// Users' data are kept as blobs, which may hold any bytes. Times are nanoseconds since 1970, UTC.
// `deliveries` has no index beside its numbers, so an acknowledgement touches only the row.
// `acknowledged_keys` has none either: rows are added at one end and deleted at the other.
//
// deliveries.hand_overs: see `StoredDelivery::hand_overs`. meta.commits: how many transactions have
// changed the store. meta.is_open: 0 while the store has no owner and the log has no content.
// meta.keys_since: older keys are forgotten, even if their rows are not deleted yet.
// dead_letters.text: see `StoredDeadLetter::text`; context: see `StoredDelivery::context`. Both are
// there from version 3 on.
//
// answers.bytes: of the answer, also if it was too large: then types and answer are empty. Rows are
// added at one end, in order of time, and deleted at the other.
std::map<std::string, std::string> tables(std::int64_t version) {
  const auto is_first = version == 1;
  std::map<std::string, std::string> all{
    {"deliveries", "CREATE TABLE deliveries(id INTEGER PRIMARY KEY, submitted_at INTEGER NOT NULL, "
                   "deadline INTEGER, attempts INTEGER NOT NULL, key BLOB NOT NULL, "
                   "idempotency_key BLOB NOT NULL, types BLOB NOT NULL, payload BLOB NOT NULL"
                     + (is_first ? "" : with({hand_overs})) + (version < 3 ? "" : with({context}))
                     + ") STRICT"},
    {"dead_letters",
     "CREATE TABLE dead_letters(id INTEGER PRIMARY KEY, submitted_at INTEGER NOT NULL, "
     "deadline INTEGER, attempts INTEGER NOT NULL, key BLOB NOT NULL, idempotency_key BLOB NOT "
     "NULL, "
     "types BLOB NOT NULL, payload BLOB NOT NULL, reason TEXT NOT NULL, cause BLOB NOT NULL, "
     "at INTEGER NOT NULL"
       + (version < 3 ? "" : with({text, context})) + ") STRICT"},
    {"meta", "CREATE TABLE meta(only_row INTEGER PRIMARY KEY CHECK(only_row = 1), "
             "message_format BLOB NOT NULL, last_id INTEGER NOT NULL, made_by TEXT NOT NULL"
               + (is_first ? "" : with({commits, is_open, keys_since})) + ") STRICT"}};
  if (is_first) {
    all["acknowledged_keys"] =
      "CREATE TABLE acknowledged_keys(idempotency_key BLOB PRIMARY KEY, at "
      "INTEGER NOT NULL) STRICT, WITHOUT ROWID";
    all["acknowledged_at"] = "CREATE INDEX acknowledged_at ON acknowledged_keys(at)";
  } else {
    all["acknowledged_keys"] = keys_table;
  }
  if (version >= version_with_answers)
    all["answers"] = answers_table;
  return all;
}

std::string add_to(const std::string& table, std::string_view column) {
  return "ALTER TABLE " + table + " ADD COLUMN " + std::string{column} + "; ";
}

// Returns the statements that upgrade a version to the next.
std::string step_from(std::int64_t version) {
  switch (version) {
  case 1:
    return add_to("deliveries", hand_overs) + add_to("meta", commits) + add_to("meta", is_open)
           + add_to("meta", keys_since) + "ALTER TABLE acknowledged_keys RENAME TO old_keys; "
           + keys_table
           + "; INSERT INTO acknowledged_keys(idempotency_key, at) SELECT idempotency_key, at FROM "
             "old_keys ORDER BY at, idempotency_key; DROP TABLE old_keys";
  case 2:
    return add_to("deliveries", context) + add_to("dead_letters", text)
           + add_to("dead_letters", context);
  default:
    return {};
  }
}

// Calls `f` within one transaction.
template <class F>
void transact(SQLite::Database& database, F&& f) {
  database.exec("BEGIN IMMEDIATE");
  try {
    f();
    database.exec("PRAGMA user_version = " + std::to_string(schema_version));
    database.exec("COMMIT");
  } catch (...) {
    if (sqlite3_get_autocommit(database.getHandle()) == 0)
      database.tryExec("ROLLBACK");
    throw;
  }
}

} // namespace

std::int64_t identify(SQLite::Database& database, const std::string& file, Moment moment) {
  const auto owner = database.execAndGet("PRAGMA application_id").getInt64();
  const auto version = database.execAndGet("PRAGMA user_version").getInt64();
  if (owner == application_id && version > version_with_answers)
    throw StoreError(StoreFailure::newer,
                     file + ": was written by a later version of backoff_actor (format "
                       + std::to_string(version) + ", this one knows 1 to "
                       + std::to_string(version_with_answers) + "); use that version");
  std::map<std::string, std::string> found;
  if (owner == application_id || owner == 0) {
    SQLite::Statement rows{database,
                           "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"};
    while (rows.executeStep())
      found.emplace(rows.getColumn(0).getString(), rows.getColumn(1).getString());
  }
  if (owner == 0 && version == 0 && found.empty())
    return 0;
  if (owner != application_id)
    throw StoreError(StoreFailure::foreign,
                     file + ": is an SQLite database of another program (application_id "
                       + std::to_string(owner) + "); " + advice_of_foreign(moment));
  if (version < 1 || found != tables(version))
    throw damaged(file, "it does not have the tables of format " + std::to_string(version));
  return version;
}

void create_tables(SQLite::Database& database) {
  const auto all = tables(schema_version);
  transact(database, [&] {
    for (const auto* const name : {"deliveries", "dead_letters", "acknowledged_keys", "meta"})
      database.exec(all.at(name));
    database.exec("INSERT INTO meta(only_row, message_format, last_id, made_by) "
                  "VALUES(1, x'', 0, 'backoff_actor " BACKOFF_ACTOR_VERSION "')");
    database.exec("PRAGMA application_id = " + std::to_string(application_id));
  });
}

void migrate(SQLite::Database& database, std::int64_t from) {
  if (from >= schema_version)
    return;
  transact(database, [&] {
    for (auto step = from; step < schema_version; ++step)
      database.exec(step_from(step));
  });
}

void create_answers(SQLite::Database& database) {
  database.exec(answers_table);
  database.exec("PRAGMA user_version = " + std::to_string(version_with_answers));
}

bool has_answers(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_schema WHERE name = 'answers'").getInt()
         != 0;
}

} // namespace backoff_actor::detail
