#pragma once

// Design notes
//
// One PostgreSQL database holds many outboxes, in the schema `backoff`. A process owns an outbox by
// two things. Its session holds an advisory lock: when the session ends, for whatever reason, the
// server frees the lock, and a process that waits for it has it within milliseconds. And the row of
// the outbox names the epoch of the owner: every commit changes that row if the epoch is still its
// own, and fails otherwise. So an owner that lost its lock without noticing cannot write.
//
// The server ends the session of an owner that says nothing for the lease. So a frozen process or a
// cut cable costs the lease and no more.

#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/shared_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor {

/// Which outbox on which server.
struct PostgresAddress {
  /// libpq's connection string, or a URL: `host=db1,db2 dbname=shop user=worker`, or
  /// `postgres://worker@db1/shop`. libpq takes a password from here, from the environment, or from
  /// a password file. Several hosts are tried in order.
  std::string connection{};

  /// The name of the outbox in the database.
  ///
  /// @range 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`
  std::string outbox{};

  /// Whether both are the same.
  friend bool operator==(const PostgresAddress&, const PostgresAddress&) = default;
};

/// How a process owns an outbox on a server of PostgreSQL.
struct PostgresOptions {
  /// How long the server lets an owner go on that says nothing: frozen, or behind a cut cable. A
  /// living owner says something every third of it. To send the largest message must take less.
  ///
  /// @range 1s..5min
  Duration lease = std::chrono::seconds{5};

  /// How long one attempt to connect to one host may take.
  ///
  /// @range 1s..1min, in whole seconds
  Duration connect_timeout = std::chrono::seconds{2};

  /// What this process calls itself, for people and for the errors of the processes that stand by.
  /// Empty: the machine's name and the number of the process.
  ///
  /// @range up to 128 printable characters
  std::string node{};

  /// How many bytes a row of `incoming` may have, all columns together. The server refuses a larger
  /// one in the transaction that inserts it. If one is there already, it becomes a dead letter,
  /// `unreadable`, and no process reads it. The limit of the last owner counts.
  ///
  /// @units bytes
  /// @range 1000..1000000000
  std::uint32_t max_row = 16U << 20;

  /// Finds the zones of the calendar: `find_zone` of `backoff_actor::zones`. Null: no entry of the
  /// calendar runs while this process owns the outbox. See `PostgresCalendar`.
  ///
  /// @thread the one that reads what other programs hand over
  FindZone find_zone = nullptr;

  /// Whether all options are the same.
  friend bool operator==(const PostgresOptions&, const PostgresOptions&) = default;
};

/// Returns all problems of the address.
BACKOFF_ACTOR_EXPORT Problems check(const PostgresAddress& address);

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const PostgresOptions& options);

/// Takes `postgres://...#outbox` or `postgresql://...#outbox` apart.
///
/// @errors throws `InvalidArgument` if it is no such URL, or names no outbox. The text does not
///         repeat the URL, which may hold a password.
BACKOFF_ACTOR_EXPORT PostgresAddress parse_postgres_address(const std::string& url);

/// Returns an outbox on a server of PostgreSQL, for `spawn_owned_sender`. Connects only when asked
/// to own it. The first owner makes the outbox; the schema must be there, see `migrate_postgres`.
///
/// @errors throws `InvalidArgument` naming every problem of the address and the options.
BACKOFF_ACTOR_EXPORT std::shared_ptr<SharedStore>
postgres_store(const PostgresAddress& address, const PostgresOptions& options = {});

/// Owns an outbox at once.
///
/// @errors as `postgres_store`, and throws `StoreError`: `in_use`, naming the owner, if another
///         process owns it.
BACKOFF_ACTOR_EXPORT std::shared_ptr<OwnedStore>
open_postgres_store(const PostgresAddress& address, const PostgresOptions& options = {});

/// Opens an outbox for reading, whether or not it has an owner. The result shows the outbox as it
/// is at each call. Every operation that would change it throws `StoreError` with `read_only`.
///
/// @errors as `postgres_store`, and throws `StoreError` if there is no such outbox.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_postgres_store_to_read(const PostgresAddress& address, const PostgresOptions& options = {});

/// An outbox in a database.
struct PostgresOutbox {
  std::string name{};     ///< see `PostgresAddress::outbox`
  StoreOwner owner{};     ///< its present or last owner; epoch 0: none ever
  std::uint64_t owed = 0; ///< how many deliveries are owed
  WallTime oldest{};      ///< when the oldest of them was submitted; only if any is owed
  std::uint64_t dead = 0; ///< how many dead letters it holds
};

/// Lists the outboxes of a database, in order of their names. Counts every row.
///
/// @param connection as `PostgresAddress::connection`
/// @errors throws `StoreError`
BACKOFF_ACTOR_EXPORT std::vector<PostgresOutbox> postgres_outboxes(const std::string& connection);

/// The version of the schema that this library makes and needs.
inline constexpr int postgres_schema_version = 3;

/// Returns the statements that bring the schema of a database to this library's version; empty if
/// it is there. They are one transaction, and only add.
///
/// @param from_version the version that the database has; 0: it has no schema
/// @range `from_version`: 0..postgres_schema_version, otherwise throws `InvalidArgument`
BACKOFF_ACTOR_EXPORT std::string postgres_migration(int from_version = 0);

/// Makes the schema in a database, or brings it to this library's version. Nothing else in this
/// library does that unasked. The user needs the right to make schemas and roles.
///
/// @param connection as `PostgresAddress::connection`
/// @returns the version that was found; 0: there was no schema
/// @errors throws `StoreError`: `newer` if a later version of this library made it, `refused` if
///         the user may not.
BACKOFF_ACTOR_EXPORT int migrate_postgres(const std::string& connection);

/// Makes an outbox without an owner, for programs that hand work over before its first owner comes.
/// The schema must be there.
///
/// @returns false if the outbox was there
/// @errors throws `InvalidArgument`, `StoreError`
BACKOFF_ACTOR_EXPORT bool create_postgres_outbox(const PostgresAddress& address);

} // namespace backoff_actor
