#pragma once

// Design notes
//
// One file of SQLite, with its write-ahead log beside it. A commit is one transaction: its pages are
// appended to the log, and the log is synced once. Now and then SQLite copies the log's pages into the
// file (a checkpoint), which costs three syncs more.
//
//     FILE        the tables; see store/internal/sqlite_schema.hpp
//     FILE-wal    the log: what was committed and is not in FILE yet; belongs to it. After a clean end
//                 it is empty: room for the next life
//     FILE-shm    where to find what in the log; made anew at need
//     FILE.lock   locked by the process that owns the store; holds its number, and how many commits
//                 the store has at least, so that a log that is lost or cut is noticed
//
// After a clean end FILE says that it is whole: then a copy of it alone is a store.

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

/// What a commit outlives.
enum class Durability : std::uint8_t {
  power_loss,    ///< the machine too: every commit waits until the disk has it
  process_death, ///< `kill -9`, but not the machine: its last commits may be gone after a power loss
};

/// How a store uses SQLite.
struct SqliteOptions {
  /// What a commit outlives.
  Durability durability = Durability::power_loss;

  /// How long to wait for a stranger who has the file locked, for example the shell `sqlite3`.
  ///
  /// @range 0..1h
  Duration busy_timeout = std::chrono::seconds{5};

  /// How long the log may become until its pages are copied into the file. More make this rarer, and
  /// the log longer: 4000 pages are 16 MiB.
  ///
  /// @units pages, of 4096 bytes in a store that was made by this library
  /// @range 1..1000000
  std::uint32_t checkpoint_pages = 4000;

  /// How long the log stays when the store is closed. It is room on the disk for the next life, which can
  /// write what it does even if the disk is full then. 0: the log goes.
  ///
  /// @units bytes
  /// @range 0..1 GiB
  std::uint64_t log_reserve = std::uint64_t{1} << 20;

  /// Who may read and write the files that are made: the store holds every message. Files that are there
  /// already stay as they are; if they let others in, that is told as a notice.
  ///
  /// @range reading and writing, for the owner at least
  std::filesystem::perms mode =
    std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

  /// The name of the SQLite VFS that opens the file, as registered; empty: the default one.
  std::string vfs{};

  /// Whether all options are the same.
  friend bool operator==(const SqliteOptions&, const SqliteOptions&) = default;
};

/// Returns what is wrong with the options; empty if nothing is.
BACKOFF_ACTOR_EXPORT Problems check(const SqliteOptions& options);

/// Opens a store in a file, and makes it if there is none or it is empty. The store is this object's
/// alone until it is destroyed. A file of an earlier version of this library is brought up to this one.
///
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and `StoreError` if
///         the file cannot be used. A file that is no store, or whose log is missing or cut, is not
///         changed.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_sqlite_store(const std::filesystem::path& file, const SqliteOptions& options = {});

/// Opens a store to look at, whether or not somebody owns it. What is seen is the store as it was at the
/// first look; nothing in it can be changed. Not for long: the owner's log grows meanwhile.
///
/// @errors as `open_sqlite_store`; in addition, a file that is not there or empty cannot be opened, and
///         whatever would change the store throws `StoreError` with `read_only`.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_sqlite_store_to_read(const std::filesystem::path& file, const SqliteOptions& options = {});

/// What a store has lost with its log.
struct StoreLoss {
  std::uint64_t commits = 0;        ///< so many are missing, at least
  std::uint64_t first_delivery = 0; ///< the lowest number that may be missing; 0: none is
  std::uint64_t last_delivery = 0;  ///< the highest
};

/// Makes a store whose log is missing or cut one that can be opened, with what is there. What else was
/// acknowledged in the commits that are missing is owed again.
///
/// @returns what is missing; none: nothing is, and nothing was changed
/// @errors as `open_sqlite_store`
BACKOFF_ACTOR_EXPORT std::optional<StoreLoss>
accept_loss_of_sqlite_store(const std::filesystem::path& file, const SqliteOptions& options = {});

/// Copies a store, whether or not somebody owns it, as it is at one moment. The copy is a file that is
/// whole without a log.
///
/// @range `copy`: does not exist
/// @errors as `open_sqlite_store_to_read`, and `StoreError` if the copy cannot be written.
BACKOFF_ACTOR_EXPORT void back_up_sqlite_store(const std::filesystem::path& file,
                                               const std::filesystem::path& copy,
                                               const SqliteOptions& options = {});

/// Makes the file of a store as small as it can be. Needs as much room again as it has then, for a moment.
///
/// @errors as `open_sqlite_store`
BACKOFF_ACTOR_EXPORT void compact_sqlite_store(const std::filesystem::path& file,
                                               const SqliteOptions& options = {});

} // namespace backoff_actor
