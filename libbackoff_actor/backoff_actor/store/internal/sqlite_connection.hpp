#pragma once

#include "backoff_actor/store/internal/sqlite_errors.hpp"
#include "backoff_actor/store/internal/sqlite_log.hpp"
#include "backoff_actor/store/internal/sqlite_schema.hpp"
#include "backoff_actor/store/sqlite_store.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cerrno>
#include <optional>
#include <string>

namespace backoff_actor::detail {

// A statement in use. The destructor resets it, which frees its locks on the database.
class Running {
public:
  explicit Running(SQLite::Statement& statement) : statement_(statement) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { statement_.tryReset(); }

private:
  SQLite::Statement& statement_;
};

// Runs a statement that returns no rows. Returns how many rows it has changed.
inline int run(SQLite::Statement& statement) {
  const Running running{statement};
  return statement.exec();
}

// SQLite's connection to a file that was identified as a store. Its errors are `StoreError`.
class SqliteConnection {
public:
  enum class Use : unsigned char { own, read };

  // Changes nothing in the file.
  //
  // @errors throws `StoreError`.
  SqliteConnection(std::string file, const SqliteOptions& options, Use use);

  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  SQLite::Database& database() { return database_; }

  // The version of the tables; 0: there are none yet.
  std::int64_t version() const { return version_; }

  // Makes the tables, or upgrades them to this version, and continues the log.
  //
  // @range once, by its owner
  // @errors throws `StoreError`.
  void own();

  // Calls `f`, and turns SQLite's exceptions into `StoreError`.
  template <class F>
  decltype(auto) translate(F&& f, Moment moment = Moment::opened) {
    errno = 0;
    try {
      return f();
    } catch (const SQLite::Exception& error) {
      throw error_of(error, moment);
    }
  }

  // Prepares a statement, which must not outlive this object.
  //
  // @errors throws `StoreError`.
  SQLite::Statement prepare(const char* text) {
    return translate([&] { return SQLite::Statement{database_, text}; });
  }

  // Calls `f` within one transaction.
  //
  // @errors throws `StoreError`, or what `f` throws; nothing has changed then. If the file or its
  //         log has been removed meanwhile, every transaction fails from then on.
  template <class F>
  void transact(F&& f) {
    translate([&] {
      require_files_in_place();
      run(*begin_);
      try {
        f();
        run(*commit_);
      } catch (const SQLite::Exception& error) {
        // The rollback overwrites SQLite's data about the error.
        const auto told = error_of(error, Moment::opened);
        roll_back();
        throw told;
      } catch (...) {
        roll_back();
        throw;
      }
    });
    require_commit_in_place();
  }

  // -- the log --------------------------------------------------------------------------

  // The length of the log at the last commit.
  std::uint32_t log_pages() const { return log_pages_; }

  // Whether something was committed since the log was copied.
  bool has_log_to_copy() const { return has_log_to_copy_; }

  // Copies the log into the file if it has become long. Reports no failure: the log then stays.
  void checkpoint_if_due();

  // Copies as much of the log as possible into the file. Returns whether all of it was copied, so
  // that the next commit starts the log anew.
  bool checkpoint();

  // As `checkpoint`; in addition, truncates the log. Does not wait for readers of the log.
  bool empty_log();

  // Makes the file as small as possible.
  //
  // @errors throws `StoreError`.
  void compact();

private:
  StoreError error_of(const SQLite::Exception& error, Moment moment);
  bool checkpoint(int mode);
  void set_log_pages(std::uint32_t pages);
  void require_files_in_place();
  void require_commit_in_place();
  void roll_back();

  std::string file_;
  SqliteOptions options_;
  SqliteLog log_;
  SQLite::Database database_;
  std::int64_t version_ = 0;
  std::optional<SQLite::Statement> begin_{};
  std::optional<SQLite::Statement> commit_{};
  std::uint32_t log_pages_ = 0;
  bool has_log_to_copy_ = true;
  std::uint32_t next_checkpoint_ = 0; // pages of the log; 0: as the options say
  std::optional<StoreError> lost_{};  // set once a commit went into a file that was removed
};

} // namespace backoff_actor::detail
