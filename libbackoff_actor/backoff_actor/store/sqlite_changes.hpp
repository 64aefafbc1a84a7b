#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/store/sqlite_connection.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace backoff_actor::detail {

// What changes a store, as statements that stay prepared. All are to be used within a transaction, which
// ends with `keep` if it was committed, and with `forget` if not.
//
// @errors `SQLite::Exception`.
class SqliteChanges {
public:
  SqliteChanges(SqliteConnection& connection, std::uint64_t last_id);

  // @errors throws `std::logic_error` if the number is not above all before it.
  void make(const change::Insert& change);
  void make(const change::Acknowledge& change);
  void make(const change::CountAttempts& change);
  void make(const change::Bury& change);
  void make(const change::ForgetKeys& change);

  void set_message_format(const std::string& format);
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids);
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids);

  // Writes down the last number, once for all that the transaction has given.
  void note_last_id();
  void keep() { committed_id_ = last_id_; }
  void forget() { last_id_ = committed_id_; }

  std::uint64_t last_id() const { return committed_id_; }

private:
  // Numbers beyond what SQLite can hold are of no delivery.
  static bool bind_id(SQLite::Statement& statement, int index, std::uint64_t id);

  SQLite::Statement insert_;
  SQLite::Statement key_of_;
  SQLite::Statement keep_key_;
  SQLite::Statement remove_;
  SQLite::Statement count_;
  SQLite::Statement bury_;
  SQLite::Statement forget_keys_;
  SQLite::Statement set_format_;
  SQLite::Statement remove_dead_;
  SQLite::Statement resubmit_;
  SQLite::Statement note_id_;
  std::uint64_t committed_id_;
  std::uint64_t last_id_; // with what the transaction has added
};

} // namespace backoff_actor::detail
