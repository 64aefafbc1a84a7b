#include "backoff_actor/store/internal/sqlite_copy.hpp"

#include "backoff_actor/store/lock/internal/store_lock.hpp"

#include <SQLiteCpp/Backup.h>

#include <string>

namespace backoff_actor::detail {

void copy_whole(SqliteConnection& from, const std::filesystem::path& copy,
                const SqliteOptions& options) {
  const auto name = copy.string();
  if (std::filesystem::exists(copy))
    throw StoreError(StoreFailure::cannot_open,
                     name + ": already exists; name a file that does not exist");
  StoreLock lock{copy, options.mode}; // removed at the end: nobody owns the copy
  lock.make_file();
  errno = 0;
  try {
    SQLite::Database to{name, SQLite::OPEN_READWRITE};
    SQLite::Backup{to, from.database()}.executeStep();
    if (from.version() > 1)
      to.exec("UPDATE meta SET is_open = 0");
  } catch (const SQLite::Exception& error) {
    throw sqlite_error(name, Moment::opened, error.getErrorCode(), error.what(), errno);
  }
  lock.keep_file();
}

} // namespace backoff_actor::detail
