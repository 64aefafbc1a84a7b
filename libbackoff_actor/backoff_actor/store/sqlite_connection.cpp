#include "backoff_actor/store/internal/sqlite_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sqlite3.h>

namespace backoff_actor::detail {

namespace {

// A log that a large batch has made longer is truncated to this when it starts anew.
constexpr auto longest_kept_log = std::int64_t{64} << 20; // bytes

SQLite::Database open_database(const std::string& file, const SqliteOptions& options,
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

StoreError removed(const std::string& file, const std::string& which) {
  return {
    StoreFailure::input_output,
    file + ": " + which
      + "was removed or renamed while it was in use; a commit would be lost, so the store "
        "commits nothing more; end the program, and put the file back. If nobody removed it, this "
        "program has itself opened and closed the file: then SQLite loses its locks"};
}

} // namespace

SqliteConnection::SqliteConnection(std::string file, const SqliteOptions& options, Use use)
  : file_(std::move(file)), options_(options), log_(file_),
    database_(open_database(file_, options, use)) {
  auto* const handle = database_.getHandle();
  // Until the file is known to be a complete store, closing it must not write into it, and its
  // schema is not trusted.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  const auto moment = use == Use::read ? Moment::opening_to_read : Moment::opening;
  version_ = translate(
    [&] {
      database_.exec("PRAGMA cell_size_check = ON");
      if (use == Use::own)
        return identify(database_, file_, moment);
      database_.exec("BEGIN"); // all that identifies it is of one snapshot
      const auto version = identify(database_, file_, moment);
      database_.exec("COMMIT");
      return version;
    },
    moment);
  if (use == Use::own && sqlite3_db_readonly(handle, "main") == 1)
    throw sqlite_error(file_, Moment::opening, SQLITE_READONLY, sqlite3_errstr(SQLITE_READONLY), 0);
}

void SqliteConnection::own() {
  translate([&] {
    const auto set = [&](const std::string& name, const std::string& value) {
      return database_.execAndGet("PRAGMA " + name + " = " + value).getString();
    };
    if (const auto mode = set("journal_mode", "WAL"); mode != "wal")
      throw StoreError(StoreFailure::cannot_open,
                       file_ + ": cannot have a write-ahead log (SQLite: journal_mode is " + mode
                         + "); name a file of a local file system");
    database_.exec(options_.durability == Durability::power_loss ? "PRAGMA synchronous = FULL"
                                                                 : "PRAGMA synchronous = NORMAL");
    set("wal_autocheckpoint", "0");
    set("journal_size_limit", std::to_string(longest_kept_log));
    set("secure_delete", "FAST");
    sqlite3_wal_hook(
      database_.getHandle(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteConnection*>(self)->set_log_pages(static_cast<std::uint32_t>(pages));
        return SQLITE_OK;
      },
      this);
    if (version_ == 0) {
      create_tables(database_);
      checkpoint(); // so that the file itself, and not only its log, is marked as ours
    } else {
      migrate(database_, version_);
    }
    version_ = std::max(version_, schema_version);
    begin_.emplace(database_, "BEGIN IMMEDIATE");
    commit_.emplace(database_, "COMMIT");
  });
  auto keep = options_.log_reserve > 0 ? 1 : 0;
  sqlite3_file_control(database_.getHandle(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  sqlite3_db_config(database_.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  log_.watch();
}

StoreError SqliteConnection::error_of(const SQLite::Exception& error, Moment moment) {
  const auto system_error = errno; // of the failed call: SQLite makes no failing call after it
  const auto extended = error.getExtendedErrorCode();
  return sqlite_error(file_, moment, extended > 0 ? extended : error.getErrorCode(), error.what(),
                      system_error);
}

void SqliteConnection::require_files_in_place() {
  if (lost_)
    throw *lost_;
  auto has_moved = 0;
  sqlite3_file_control(database_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (has_moved != 0)
    throw removed(file_, "");
  // SQLite does not notice that its log was removed.
  if (!log_.is_in_place())
    throw removed(file_, "its log, " + log_.path().string() + ", ");
}

void SqliteConnection::require_commit_in_place() {
  if (!log_.has_watch())
    log_.watch();
  try {
    require_files_in_place();
  } catch (const StoreError& error) {
    lost_ = error; // this process sees the commit as done, but no other process will find it
    throw;
  }
}

void SqliteConnection::roll_back() {
  // After some errors SQLite has ended the transaction itself. Otherwise ROLLBACK ends it, even if
  // ROLLBACK fails.
  if (sqlite3_get_autocommit(database_.getHandle()) == 0)
    database_.tryExec("ROLLBACK");
}

// -- the log ----------------------------------------------------------------------------

void SqliteConnection::set_log_pages(std::uint32_t pages) {
  if (pages < log_pages_)
    next_checkpoint_ = 0; // the log has started anew
  log_pages_ = pages;
  has_log_to_copy_ = true;
}

void SqliteConnection::checkpoint_if_due() {
  if (log_pages_ < next_checkpoint_ || log_pages_ < 1
      || log_pages_ < log_.most_pages(options_.checkpoint_pages))
    return;
  checkpoint();
  // The next commit starts the log anew, unless there is a reader: then the log grows.
  next_checkpoint_ = log_pages_ + options_.checkpoint_pages / 4 + 1;
}

bool SqliteConnection::checkpoint() { return checkpoint(SQLITE_CHECKPOINT_PASSIVE); }

bool SqliteConnection::empty_log() {
  const auto wait = [&](Duration span) {
    sqlite3_busy_timeout(
      database_.getHandle(),
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()));
  };
  wait({});
  const auto result = checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  wait(options_.busy_timeout);
  if (result)
    log_pages_ = next_checkpoint_ = 0;
  return result;
}

bool SqliteConnection::checkpoint(int mode) {
  auto in_log = 0;
  auto copied = 0;
  const auto code =
    sqlite3_wal_checkpoint_v2(database_.getHandle(), "main", mode, &in_log, &copied);
  const auto result = code == SQLITE_OK && in_log == copied;
  if (result)
    has_log_to_copy_ = false;
  return result;
}

void SqliteConnection::compact() {
  // VACUUM writes into the log, which becomes as long as the file. So the log is emptied at the
  // end, also if the disk was full.
  const auto end = [&] { empty_log(); };
  translate([&] {
    require_files_in_place();
    try {
      database_.exec("VACUUM");
    } catch (const SQLite::Exception& error) {
      const auto told = error_of(error, Moment::opened);
      end();
      throw told;
    }
  });
  require_commit_in_place();
  end();
}

} // namespace backoff_actor::detail
