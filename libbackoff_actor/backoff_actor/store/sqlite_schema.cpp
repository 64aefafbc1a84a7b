#include "backoff_actor/store/sqlite_schema.hpp"

#include <SQLiteCpp/Statement.h>

#include <map>

namespace backoff_actor::detail {

namespace {

// What comes from users is kept as blobs, which may hold any bytes; times are nanoseconds since 1970, UTC.
// `deliveries` has no index beside its numbers: an acknowledgement touches the row and nothing else.
const std::map<std::string, std::string>& tables() {
  static const std::map<std::string, std::string> all{
    {"deliveries",
     "CREATE TABLE deliveries(id INTEGER PRIMARY KEY, submitted_at INTEGER NOT NULL, "
     "deadline INTEGER, attempts INTEGER NOT NULL, key BLOB NOT NULL, "
     "idempotency_key BLOB NOT NULL, types BLOB NOT NULL, payload BLOB NOT NULL) STRICT"},
    {"dead_letters",
     "CREATE TABLE dead_letters(id INTEGER PRIMARY KEY, submitted_at INTEGER NOT NULL, "
     "deadline INTEGER, attempts INTEGER NOT NULL, key BLOB NOT NULL, idempotency_key BLOB NOT "
     "NULL, "
     "types BLOB NOT NULL, payload BLOB NOT NULL, reason TEXT NOT NULL, cause BLOB NOT NULL, "
     "at INTEGER NOT NULL) STRICT"},
    {"acknowledged_keys",
     "CREATE TABLE acknowledged_keys(idempotency_key BLOB PRIMARY KEY, at INTEGER NOT NULL) "
     "STRICT, WITHOUT ROWID"},
    {"acknowledged_at", "CREATE INDEX acknowledged_at ON acknowledged_keys(at)"},
    {"meta",
     "CREATE TABLE meta(only_row INTEGER PRIMARY KEY CHECK(only_row = 1), "
     "message_format BLOB NOT NULL, last_id INTEGER NOT NULL, made_by TEXT NOT NULL) STRICT"}};
  return all;
}

} // namespace

Identity identify(SQLite::Database& database, const std::string& file) {
  const auto owner = database.execAndGet("PRAGMA application_id").getInt64();
  const auto version = database.execAndGet("PRAGMA user_version").getInt64();
  if (owner == application_id && version > schema_version)
    throw StoreError(StoreFailure::newer,
                     file + ": was written by a later version of backoff_actor (format "
                       + std::to_string(version) + ", this one knows "
                       + std::to_string(schema_version) + "); use that version");
  std::map<std::string, std::string> found;
  if (owner == application_id || owner == 0) {
    SQLite::Statement rows{database,
                           "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"};
    while (rows.executeStep())
      found.emplace(rows.getColumn(0).getString(), rows.getColumn(1).getString());
  }
  if (owner == 0 && version == 0 && found.empty())
    return Identity::empty;
  if (owner != application_id)
    throw StoreError(
      StoreFailure::foreign,
      file + ": is a SQLite database of another program (application_id " + std::to_string(owner)
        + "); nothing in it was changed; name another file, or one that does not exist "
          "yet");
  if (version != schema_version || found != tables())
    throw damaged(file, "its tables are not those of format " + std::to_string(schema_version));
  return Identity::store;
}

void create_tables(SQLite::Database& database) {
  database.exec("BEGIN IMMEDIATE");
  for (const auto* const name :
       {"deliveries", "dead_letters", "acknowledged_keys", "acknowledged_at", "meta"})
    database.exec(tables().at(name));
  database.exec("INSERT INTO meta VALUES(1, x'', 0, 'backoff_actor " BACKOFF_ACTOR_VERSION "')");
  database.exec("PRAGMA application_id = " + std::to_string(application_id));
  database.exec("PRAGMA user_version = " + std::to_string(schema_version));
  database.exec("COMMIT");
}

} // namespace backoff_actor::detail
