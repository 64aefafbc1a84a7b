#pragma once

#include "backoff_actor/store/sqlite_errors.hpp"
#include "backoff_actor/store/sqlite_schema.hpp"
#include "backoff_actor/store/sqlite_store.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cerrno>
#include <string>

namespace backoff_actor::detail {

// A statement in use: begins anew and frees what it holds of the database when it goes.
class Running {
public:
  explicit Running(SQLite::Statement& statement) : statement_(statement) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { statement_.tryReset(); }

private:
  SQLite::Statement& statement_;
};

// Runs a statement that answers with nothing; returns how many rows it has changed.
inline int run(SQLite::Statement& statement) {
  const Running running{statement};
  return statement.exec();
}

// SQLite at a store's file, which has been identified as one; errors as those of a store.
class SqliteConnection {
public:
  enum class Use : unsigned char { own, read };

  // @errors throws `StoreError`.
  SqliteConnection(std::string file, const SqliteOptions& options, Use use);

  SQLite::Database& database() { return database_; }

  // Does it, with SQLite's exceptions as `StoreError`.
  template <class F>
  decltype(auto) translate(F&& f, Moment moment = Moment::opened) {
    errno = 0;
    try {
      return f();
    } catch (const SQLite::Exception& error) {
      throw error_of(error, moment);
    }
  }

  // A statement that is used for as long as this lives.
  //
  // @errors throws `StoreError`.
  SQLite::Statement prepare(const char* text) {
    return translate([&] { return SQLite::Statement{database_, text}; });
  }

  // Does it in one transaction, all or nothing.
  //
  // @errors throws `StoreError`, or what `f` throws; nothing has changed then.
  template <class F>
  void transact(F&& f) {
    translate([&] {
      require_file_in_place();
      run(begin_);
      try {
        f();
        run(commit_);
      } catch (const SQLite::Exception& error) {
        // Ending the transaction overwrites what SQLite knows of the error.
        const auto told = error_of(error, Moment::opened);
        roll_back();
        throw told;
      } catch (...) {
        roll_back();
        throw;
      }
    });
  }

private:
  StoreError error_of(const SQLite::Exception& error, Moment moment);
  void prepare_to_own(const SqliteOptions& options, Identity identity);
  void require_file_in_place();
  void roll_back();

  std::string file_;
  SQLite::Database database_;
  SQLite::Statement begin_;
  SQLite::Statement commit_;
};

} // namespace backoff_actor::detail
