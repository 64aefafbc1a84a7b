#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/store/internal/sqlite_connection.hpp"
#include "backoff_actor/store/internal/sqlite_rows.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct sqlite3;

namespace backoff_actor::detail {

// The changes of a store, as statements that stay prepared. Use them within a transaction, between
// `begin` and `end`. Then call `keep` if the transaction was committed, and `forget` if not.
//
// A statement costs more than a row. So insertions wait for others, up to the next change that
// could concern them. As long as no owed delivery has an idempotency key, acknowledged deliveries
// wait for the end of the transaction. Then each range of their numbers is deleted at once.
//
// @errors `SQLite::Exception`.
class SqliteStatements {
public:
  SqliteStatements(SqliteConnection& connection, const Meta& meta);

  void begin();

  // @errors throws `std::logic_error` if the number is not above all before it.
  // Looks whether the clock was set back. Comes before `make`, with all changes.
  void note_time(std::span<const StoreChange> changes);
  void make(const change::Insert& change); // `change` must stay until `end` has returned
  void make(const change::Acknowledge& change);
  void make(const change::CountAttempts& change);
  void make(const change::CountHandOvers& change);
  void make(const change::SetContext& change);
  void make(const change::SetMessage& change);
  void make(const change::Bury& change);
  void make(const change::ForgetKeys& change);
  void make(const change::KeepAnswer& change);
  void make(const change::DropIncoming& /*change*/) {} // it has no intake

  void set_message_format(const std::string& format);
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids);
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids);

  // Sets `Meta::is_open` from the next transaction on. False: nobody uses the store, and it is
  // complete without its log.
  void set_open(bool is_open) { is_open_ = is_open; }

  // All that is owed was read. From now on it is known whether any of it has an idempotency key.
  void note_owed(bool has_keys) { may_have_keys_ = has_keys; }

  // Makes this transaction count as a commit even if it changes nothing.
  void touch() { is_touched_ = true; }

  // Makes what has waited, and deletes some of the forgotten keys. Then counts the transaction as a
  // commit if it has changed anything.
  void end();

  void keep() {
    committed_ = meta_;
    has_new_answers_ = false;
  }
  void forget() {
    if (std::exchange(has_new_answers_, false))
      answers_ = nullptr; // its table is gone again
    meta_ = committed_;
    has_keys_to_drop_ = true;
  }

  // The meta data as of the last commit.
  const Meta& meta() const { return committed_; }

  // Whether later transactions still have forgotten keys to delete.
  bool has_keys_to_drop() const { return has_keys_to_drop_; }

private:
  // Returns false if SQLite cannot hold the number: then no delivery has it.
  static bool bind_id(SQLite::Statement& statement, int index, std::uint64_t id);
  void insert_waiting();
  void remove_acknowledged();
  bool drop_answers();

  // For the table of answers, which most files do not have.
  struct Answers {
    explicit Answers(SqliteConnection& connection);

    SQLite::Statement keep;
    SQLite::Statement drop;
    SQLite::Statement set_back;
  };

  SQLite::Statement insert_;
  SQLite::Statement insert_many_;
  SQLite::Statement key_of_;
  SQLite::Statement keep_key_;
  SQLite::Statement set_keys_back_;
  SQLite::Statement remove_;
  SQLite::Statement remove_range_;
  SQLite::Statement count_attempts_;
  SQLite::Statement count_hand_overs_;
  SQLite::Statement set_context_;
  SQLite::Statement set_message_;
  SQLite::Statement bury_;
  SQLite::Statement drop_keys_;
  SQLite::Statement set_format_;
  SQLite::Statement remove_dead_;
  SQLite::Statement resubmit_;
  SQLite::Statement note_;
  SqliteConnection& connection_;
  std::unique_ptr<Answers> answers_{}; // none: there is no such table
  sqlite3* handle_;
  std::int64_t changes_before_ = 0; // SQLite's count when the transaction began
  Meta committed_;
  Meta meta_;                                   // with what the transaction has changed
  std::vector<const StoredDelivery*> inserted_; // in the transaction, and not written yet
  std::vector<std::uint64_t> acknowledged_;     // in the transaction, and not deleted yet
  bool may_have_keys_ = true;                   // owed deliveries
  bool is_open_ = true;
  bool is_touched_ = false;
  bool has_keys_to_drop_ = true;
  bool has_new_answers_ = false; // the transaction has made their table
};

} // namespace backoff_actor::detail
