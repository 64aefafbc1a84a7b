#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/store/internal/sqlite_connection.hpp"
#include "backoff_actor/store/internal/sqlite_rows.hpp"

#include <cstdint>
#include <span>
#include <string>

struct sqlite3;

namespace backoff_actor::detail {

// What changes a store, as statements that stay prepared. All are to be used within a transaction, between `begin` and
// `end`. Then comes `keep` if it was committed, and `forget` if not.
//
// @errors `SQLite::Exception`.
class SqliteChanges {
public:
  SqliteChanges(SqliteConnection& connection, const Meta& meta);

  void begin();

  // @errors throws `std::logic_error` if the number is not above all before it.
  void make(const change::Insert& change);
  void make(const change::Acknowledge& change);
  void make(const change::CountAttempts& change);
  void make(const change::CountHandOvers& change);
  void make(const change::Bury& change);
  void make(const change::ForgetKeys& change);

  void set_message_format(const std::string& format);
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids);
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids);

  // The store is in use from the next transaction on, or at rest and whole without its log.
  void set_open(bool is_open) { is_open_ = is_open; }

  // Numbers this transaction, though it changes nothing.
  void touch() { is_touched_ = true; }

  // Drops some of the keys that are forgotten. Then numbers the transaction, if it has changed anything.
  void end();

  void keep() { committed_ = meta_; }
  void forget() {
    meta_ = committed_;
    has_keys_to_drop_ = true;
  }

  // As of the last commit.
  const Meta& meta() const { return committed_; }

  // Whether forgotten keys are still to be dropped, by transactions to come.
  bool has_keys_to_drop() const { return has_keys_to_drop_; }

private:
  // Numbers beyond what SQLite can hold are of no delivery.
  static bool bind_id(SQLite::Statement& statement, int index, std::uint64_t id);

  SQLite::Statement insert_;
  SQLite::Statement key_of_;
  SQLite::Statement keep_key_;
  SQLite::Statement remove_;
  SQLite::Statement count_attempts_;
  SQLite::Statement count_hand_overs_;
  SQLite::Statement bury_;
  SQLite::Statement drop_keys_;
  SQLite::Statement set_format_;
  SQLite::Statement remove_dead_;
  SQLite::Statement resubmit_;
  SQLite::Statement note_;
  sqlite3* handle_;
  std::int64_t changes_before_ = 0; // SQLite's count when the transaction began
  Meta committed_;
  Meta meta_; // with what the transaction has changed
  bool is_open_ = true;
  bool is_touched_ = false;
  bool has_keys_to_drop_ = true;
};

} // namespace backoff_actor::detail
