#pragma once

// Design notes
//
// One file of SQLite, with its write-ahead log beside it. A commit is one transaction: its pages
// are appended to the log, and the log is synced once. Now and then SQLite copies the log's pages
// into the file (a checkpoint), which costs three syncs more.
//
//     FILE        the tables; see store/internal/sqlite_schema.hpp
//     FILE-wal    the log: commits that are not in FILE yet; it belongs to FILE. After a clean end
//                 it is empty, and reserves disk space for the next start
//     FILE-shm    the index of the log; rebuilt when needed
//     FILE.lock   locked by the process that owns the store; holds its process number, and a lower
//                 bound for the number of commits, so that a lost or truncated log is detected
//
// After a clean end FILE is marked as complete: then a copy of it alone is a store.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace backoff_actor {

/// What a commit survives.
enum class Durability : std::uint8_t {
  power_loss,    ///< a power loss: every commit waits until the disk has written it
  process_death, ///< `kill -9`, but not a power loss, which may undo the last commits
};

/// How a store uses SQLite.
struct SqliteOptions {
  /// What a commit survives.
  Durability durability = Durability::power_loss;

  /// How long to wait for another program that has locked the file, for example the shell
  /// `sqlite3`.
  ///
  /// @range 0..1h
  Duration busy_timeout = std::chrono::seconds{5};

  /// The length of the log at which its pages are copied into the file. A higher value makes these
  /// copies rarer, and the log longer: 4000 pages are 16 MiB.
  ///
  /// @units pages, of 4096 bytes in a store that was made by this library
  /// @range 1..1000000
  std::uint32_t checkpoint_pages = 4000;

  /// The size of the log that stays when the store is closed. It reserves disk space, so that the
  /// next owner can write even if the disk is full by then. 0: the log is removed.
  ///
  /// @units bytes
  /// @range 0..1 GiB
  std::uint64_t log_reserve = std::uint64_t{1} << 20;

  /// The permissions of new files. They should be narrow: the store holds every message. The
  /// permissions of existing files stay as they are; if other users have access to these files, a
  /// notice says so.
  ///
  /// @range reading and writing, for the owner at least
  std::filesystem::perms mode =
    std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

  /// The name of the SQLite VFS that opens the file, as registered; empty: the default one.
  std::string vfs{};

  /// Whether all options are the same.
  friend bool operator==(const SqliteOptions&, const SqliteOptions&) = default;
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const SqliteOptions& options);

/// Opens a store in a file, and makes it if the file does not exist or is empty. The result owns
/// the store exclusively until it is destroyed. A file of an earlier version of this library is
/// upgraded.
///
/// @errors throws `InvalidArgument` naming every option that `check` rejects, and `StoreError` if
///         the file cannot be used. A file that is no store, or whose log is missing or truncated,
///         is not changed.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_sqlite_store(const std::filesystem::path& file, const SqliteOptions& options = {});

/// Opens a store for reading, whether or not it has an owner. The result shows the store as it is
/// at each call, and cannot change it.
///
/// @errors as `open_sqlite_store`. In addition, a file that does not exist or is empty cannot be
///         opened, and every operation that would change the store throws `StoreError` with
///         `read_only`.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_sqlite_store_to_read(const std::filesystem::path& file, const SqliteOptions& options = {});

/// What a store has lost with its log.
struct StoreLoss {
  std::uint64_t commits = 0;        ///< how many are missing, at least
  std::uint64_t first_delivery = 0; ///< the lowest number that may be missing; 0: none is missing
  std::uint64_t last_delivery = 0;  ///< the highest number that may be missing
};

/// Repairs a store whose log is missing or truncated: it can then be opened with its remaining
/// data. If a missing commit acknowledged a remaining delivery, that delivery is owed again.
///
/// @returns what is missing; none: nothing is missing, and nothing was changed
/// @errors as `open_sqlite_store`
BACKOFF_ACTOR_EXPORT std::optional<StoreLoss>
accept_loss_of_sqlite_store(const std::filesystem::path& file, const SqliteOptions& options = {});

/// Copies a store as it is at one moment, whether or not it has an owner. The copy is complete in
/// one file, without a log.
///
/// @range `copy`: does not exist
/// @errors as `open_sqlite_store_to_read`, and `StoreError` if the copy cannot be written.
BACKOFF_ACTOR_EXPORT void back_up_sqlite_store(const std::filesystem::path& file,
                                               const std::filesystem::path& copy,
                                               const SqliteOptions& options = {});

/// Makes the file of a store as small as possible. For a moment this needs free disk space of the
/// resulting size.
///
/// @errors as `open_sqlite_store`
BACKOFF_ACTOR_EXPORT void compact_sqlite_store(const std::filesystem::path& file,
                                               const SqliteOptions& options = {});

} // namespace backoff_actor
