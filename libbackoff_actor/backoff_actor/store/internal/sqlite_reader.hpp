#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/store/internal/sqlite_connection.hpp"
#include "backoff_actor/store/internal/sqlite_rows.hpp"
#include "backoff_actor/store/lock/internal/owner_record.hpp"
#include "backoff_actor/store/lock/internal/store_lock.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace backoff_actor::detail {

// Returns what a store lacks. Its own meta data and the record that its last owner has left beside
// it show that. None: nothing is known to be missing. `has_log`: whether the log has content.
std::optional<StoreLoss> missing_of(const Meta& meta, const std::optional<OwnerRecord>& last_owner,
                                    bool has_log);

// Returns the error for a store that lacks some of its commits, or all of them.
StoreError log_is_missing(const std::string& file, const StoreLoss& loss);
StoreError file_is_missing(const std::string& file, const StoreLoss& loss);

// The reading part of a store, with or without ownership.
class SqliteReader : public DeliveryStore {
public:
  std::string name() const override { return file_; }
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override;
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override;
  void for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                   const std::function<void(StoredDeadLetter)>& visit) override;
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override;
  DeadLetterTally count_dead_letters() override;
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override;
  std::uint64_t last_id() override;
  std::string message_format() override;

protected:
  // An owner passes its lock; a mere reader passes null.
  SqliteReader(const std::string& file, const SqliteOptions& options,
               std::unique_ptr<StoreLock> lock);

  const std::string& file() const { return file_; }
  StoreLock& lock() { return *lock_; }
  SqliteConnection& connection() { return connection_; }
  const SqliteConnection& connection() const { return connection_; }

  // Makes the log a reserve once the file has been closed.
  void leave_reserve(const SqliteOptions& options);

private:
  struct AtEnd {
    std::function<void()> call{};
    ~AtEnd() {
      if (call)
        call();
    }
  };

  std::string context_of_version() const;
  std::string dead_letter_query() const;
  void read(const std::string& query, const std::function<void(SQLite::Statement&)>& visit);
  std::string keys_of_version() const;

  // Reads the rows of a table in order of their numbers, a part at a time: while a statement runs,
  // the log cannot begin anew, and who looks at each row may take long.
  //
  // @param query without a condition
  // @param read_row returns what is visited
  // @param delivery_of returns the delivery of that
  template <class ReadRow, class DeliveryOf, class Visit>
  void read_parts(const std::string& table, const std::string& query, const ReadRow& read_row,
                  const DeliveryOf& delivery_of, const Visit& visit);

  std::string file_;
  std::unique_ptr<StoreLock> lock_; // freed last
  AtEnd after_closing_{};
  SqliteConnection connection_;
};

// A store that is open for reading only.
class SqliteView final : public SqliteReader {
public:
  // @errors throws `StoreError`.
  SqliteView(const std::string& file, const SqliteOptions& options);

  SqliteConnection& connection() { return SqliteReader::connection(); }

  void commit(std::span<const StoreChange> changes) override;
  void set_message_format(const std::string&) override { refuse(); }
  std::size_t remove_dead_letters(std::span<const std::uint64_t>) override { refuse(); }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t>) override { refuse(); }

private:
  // The owner's record was read before the store, so the store is never behind the record.
  SqliteView(const std::string& file, const SqliteOptions& options,
             const std::optional<OwnerRecord>& owner);
  [[noreturn]] void refuse() const;
};

} // namespace backoff_actor::detail
