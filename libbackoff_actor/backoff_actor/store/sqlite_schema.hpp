#pragma once

#include "backoff_actor/store/sqlite_errors.hpp"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

namespace backoff_actor::detail {

// "BkOf": tells our files from other programs' (`PRAGMA application_id`, bytes 68 to 71 of the file).
constexpr std::int64_t application_id = 0x426b4f66;

// `PRAGMA user_version`: raised whenever the tables change.
constexpr std::int64_t schema_version = 1;

// What a file is, at the first look.
enum class Identity : std::uint8_t { empty, store };

// Looks at nothing but the header and the list of tables.
//
// @errors throws `StoreError`: `foreign`, `newer` or `damaged`; `SQLite::Exception`.
Identity identify(SQLite::Database& database, const std::string& file);

// Makes the tables, in one transaction.
//
// @errors throws `SQLite::Exception`.
void create_tables(SQLite::Database& database);

} // namespace backoff_actor::detail
