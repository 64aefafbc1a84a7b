#include "backoff_actor/store/sqlite_connection.hpp"

#include <cerrno>
#include <utility>

#include <sqlite3.h>

namespace backoff_actor::detail {

namespace {

// A log that has become longer, by a large batch, is cut to this when it begins anew.
constexpr auto longest_kept_log = std::int64_t{64} << 20; // bytes

SQLite::Database open(const std::string& file, const SqliteOptions& options,
                      SqliteConnection::Use use) {
  const auto flags = use == SqliteConnection::Use::own
                       ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                       : SQLite::OPEN_READONLY;
  const auto timeout =
    std::chrono::duration_cast<std::chrono::milliseconds>(options.busy_timeout).count();
  errno = 0;
  try {
    return {file, flags | SQLite::OPEN_NOMUTEX, static_cast<int>(timeout), options.vfs};
  } catch (const SQLite::Exception& error) {
    throw sqlite_error(file, Moment::opening, error.getErrorCode(), error.what(), errno);
  }
}

} // namespace

SqliteConnection::SqliteConnection(std::string file, const SqliteOptions& options, Use use)
  : file_(std::move(file)), database_(open(file_, options, use)),
    begin_(database_, "BEGIN IMMEDIATE"), commit_(database_, "COMMIT") {
  auto* const handle = database_.getHandle();
  // Until it is known as a store, closing it must not write into it, and nothing in it is to be trusted.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  const auto identity = translate(
    [&] {
      database_.exec("PRAGMA cell_size_check = ON");
      if (use == Use::read)
        database_.exec("BEGIN"); // never ended: all that is read is of one moment
      return identify(database_, file_);
    },
    Moment::opening);
  if (use == Use::read) {
    if (identity == Identity::empty)
      throw StoreError(StoreFailure::cannot_open,
                       file_ + ": is empty; there is something to read once a sender has used it");
    return;
  }
  if (sqlite3_db_readonly(handle, "main") == 1)
    throw sqlite_error(file_, Moment::opening, SQLITE_READONLY, sqlite3_errstr(SQLITE_READONLY), 0);
  translate([&] { prepare_to_own(options, identity); });
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

void SqliteConnection::prepare_to_own(const SqliteOptions& options, Identity identity) {
  const auto set = [&](const std::string& name, const std::string& value) {
    return database_.execAndGet("PRAGMA " + name + " = " + value).getString();
  };
  if (const auto mode = set("journal_mode", "WAL"); mode != "wal")
    throw StoreError(StoreFailure::cannot_open,
                     file_ + ": cannot have a write-ahead log (SQLite: journal_mode is " + mode
                       + "); name a file of a local file system");
  database_.exec(options.durability == Durability::power_loss ? "PRAGMA synchronous = FULL"
                                                              : "PRAGMA synchronous = NORMAL");
  set("wal_autocheckpoint", std::to_string(options.checkpoint_pages));
  set("journal_size_limit", std::to_string(longest_kept_log));
  set("secure_delete", "FAST");
  if (identity == Identity::empty) {
    create_tables(database_);
    // So that the file itself, and not only its log, says whose it is.
    database_.execAndGet("PRAGMA wal_checkpoint");
  }
}

StoreError SqliteConnection::error_of(const SQLite::Exception& error, Moment moment) {
  const auto system_error =
    errno; // of the call that failed: SQLite makes no other that fails after it
  const auto extended = error.getExtendedErrorCode();
  return sqlite_error(file_, moment, extended > 0 ? extended : error.getErrorCode(), error.what(),
                      system_error);
}

void SqliteConnection::require_file_in_place() {
  auto has_moved = 0;
  sqlite3_file_control(database_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (has_moved != 0)
    throw StoreError(StoreFailure::input_output,
                     file_
                       + ": was removed or renamed while it was in use; what is committed would be "
                         "lost, so nothing is; end the program, and put the file back");
}

void SqliteConnection::roll_back() {
  // SQLite has ended the transaction itself after some errors. Otherwise this does, even if it fails.
  if (sqlite3_get_autocommit(database_.getHandle()) == 0)
    database_.tryExec("ROLLBACK");
}

} // namespace backoff_actor::detail
