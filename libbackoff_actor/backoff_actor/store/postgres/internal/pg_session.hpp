#pragma once

#include "backoff_actor/delivery/shared_store.hpp"
#include "backoff_actor/store/postgres/internal/pg_connection.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::detail {

// Who wants an outbox, and how.
struct PgWish {
  PgTarget target{};
  std::string outbox{};
  PostgresOptions options{}; // with a node
};

// Completes the options of a process.
std::shared_ptr<const PgWish> pg_wish(const PostgresAddress& address, PostgresOptions options);

// Opens the outbox for reading, as `open_postgres_store_to_read`.
std::shared_ptr<DeliveryStore> pg_view(std::shared_ptr<const PgWish> wish);

// The row of an outbox, as its owner sees it.
struct PgOutboxRow {
  std::uint64_t epoch = 0;
  std::int64_t claim = 0; // which process claimed the epoch
  std::uint64_t commit_no = 0;
  std::uint64_t last_id = 0;
  std::uint64_t oldest_id = 1;       // nothing below is owed
  std::int64_t last_key_number = 0;  // of the acknowledged keys
  std::int64_t first_key_number = 0; // no acknowledged key has a lower one
  KeyClock keys{};
  std::string message_format{};
};

// A session that can own an outbox: by an advisory lock, which the server frees when the session
// ends.
class PgSession {
public:
  enum class Purpose { own, read };

  // Connects, and checks that the server and the schema can be used. For an owner, makes the outbox
  // if it is not there.
  //
  // @errors throws `StoreError`; as `PgConnection`
  PgSession(std::shared_ptr<const PgWish> wish, Purpose purpose, const PgInterrupt* interrupt);

  PgConnection& connection() { return connection_; }
  std::int32_t outbox() const { return outbox_; }

  // The version of the tables.
  int schema() const { return schema_; }

  // What the server's settings mean for what it stores, for people.
  const std::vector<std::string>& notices() const { return notices_; }

  // Takes the lock if it is free, and ends nobody.
  bool try_lock();

  // Waits for the lock.
  //
  // @returns false if it was not free in time
  bool wait_for_lock(Duration at_most);

  // Ends the session of an owner that froze while it sent a batch, or while it was sent rows. No
  // timeout of the server's counts there. Needs the owner's own role, or does nothing.
  void end_frozen_owner();

  // Ends the session `pid` if it has the lock and is the owner's.
  //
  // @returns whether there was such a session
  bool end_own_session(int pid, std::uint64_t epoch, std::int64_t claim);

  // Begins a new epoch. From now on the server ends the session if it is silent for the lease.
  //
  // @range with the lock
  PgOutboxRow claim();

  // Goes on with an epoch after a session was lost; nothing: the epoch is over.
  //
  // @range with the lock
  std::optional<PgOutboxRow> resume(std::uint64_t epoch, std::int64_t claim);

  // What was committed is on the replicas for which the server waits, also if somebody has
  // cancelled that wait.
  //
  // @returns whether somebody had
  bool await_replicas();

  // Reads the row, without owning it.
  PgOutboxRow look();

  // Who owns the outbox, or did last.
  std::optional<StoreOwner> owner();

private:
  void check_and_set_up();
  void find_outbox(Purpose purpose);
  std::string lease_in_ms() const;
  std::vector<PgCall> owner_settings() const;
  PgCall look_at_row() const;

  std::shared_ptr<const PgWish> wish_;
  PgConnection connection_;
  std::int32_t class_ = 0; // of the advisory lock
  std::int32_t outbox_ = 0;
  std::vector<std::string> notices_{};
  int schema_ = 0;
};

// Makes an outbox if it is not there.
//
// @returns whether it was not there
bool create_pg_outbox(PgConnection& connection, const std::string& outbox);

// Reads `pg_owner_columns`, of which `column` is the first.
StoreOwner read_pg_owner(const PgRows& rows, int row, int column);

// SQL for the columns of `read_pg_owner`, of the rows `s` of backoff.shard. Its parameter $1 is
// `pg_lock_class`.
std::string pg_owner_columns();

// The class of the advisory locks of an installation, as an oid.
std::string pg_lock_class(std::int64_t schema_oid);

// How a pooler between this process and the server is told.
StoreError pg_pooler_found(const std::string& name);

} // namespace backoff_actor::detail
