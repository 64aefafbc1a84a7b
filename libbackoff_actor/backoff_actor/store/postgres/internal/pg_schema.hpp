#pragma once

#include "backoff_actor/store/postgres/internal/pg_connection.hpp"

#include <string>

namespace backoff_actor::detail {

// The first version of the tables that has a calendar.
inline constexpr int first_schema_with_calendar = 3;

// The statements between BEGIN and COMMIT that bring a schema to this library's version.
//
// @range `from_version`: 0..postgres_schema_version
std::string pg_migration_body(int from_version);

// Returns the version of the schema; 0: there is none.
//
// @errors throws `StoreError`: `foreign` if a schema backoff is there that is another program's.
//         As `PgConnection::run`.
int pg_schema_version(PgConnection& connection, const std::string& name);

// Checks that the schema is one that this library can use. Returns its version.
//
// @errors throws `StoreError`: `cannot_open`, `newer`, `foreign`. As `PgConnection::run`.
int check_pg_schema(PgConnection& connection, const std::string& name);

} // namespace backoff_actor::detail
