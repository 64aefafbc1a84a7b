#pragma once

#include "backoff_actor/store/internal/sqlite_errors.hpp"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

namespace backoff_actor::detail {

// "BkOf": marks a file as a store of this library (`PRAGMA application_id`, bytes 68 to 71 of the
// file).
constexpr std::int64_t application_id = 0x426b4f66;

// `PRAGMA user_version`: raised by one whenever the tables change. A file of an earlier version is
// upgraded when its owner opens it.
constexpr std::int64_t schema_version = 3;

// The next version has a table of answers in addition. A file is made and upgraded without it, and
// gets it with its first answer.
constexpr std::int64_t version_with_answers = 4;

// Reads only the header and the list of tables. Returns the version of the tables; 0: there are
// none yet.
//
// @errors throws `StoreError`: `foreign`, `newer` or `damaged`; `SQLite::Exception`.
std::int64_t identify(SQLite::Database& database, const std::string& file, Moment moment);

// Makes the tables, in one transaction. The store counts as open: see `meta.is_open`.
//
// @errors throws `SQLite::Exception`.
void create_tables(SQLite::Database& database);

// Upgrades the tables of an earlier version to this one, in one transaction.
//
// @range `from`: 1 and above; nothing is done to a file of this version or the next
// @errors throws `SQLite::Exception`; nothing has changed then.
void migrate(SQLite::Database& database, std::int64_t from);

// Makes the table of answers. Call it within a transaction.
//
// @errors throws `SQLite::Exception`.
void create_answers(SQLite::Database& database);

// Whether there is that table.
//
// @errors throws `SQLite::Exception`.
bool has_answers(SQLite::Database& database);

} // namespace backoff_actor::detail
