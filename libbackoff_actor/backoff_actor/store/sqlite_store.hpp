#pragma once

// Design notes
//
// One file of SQLite, with its write-ahead log beside it. A commit is one transaction: its pages are
// appended to the log, and the log is synced once. Now and then SQLite copies the log's pages into the
// file (a checkpoint), which costs three syncs more.
//
//     FILE        the tables; see store/sqlite_schema.hpp
//     FILE-wal    what was committed and is not in FILE yet; belongs to it, gone after a clean end
//     FILE-shm    where to find what in the log; made anew at need
//     FILE.lock   locked (flock) by the process that owns the store, whose number it holds
//
// The lock is not on FILE, for closing any descriptor of that would drop the locks that SQLite itself
// has on it. The kernel drops it with its process, however that ends.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
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

  /// The name of the SQLite VFS that opens the file, as registered; empty: the default one.
  std::string vfs{};

  /// Whether all options are the same.
  friend bool operator==(const SqliteOptions&, const SqliteOptions&) = default;
};

/// Returns what is wrong with the options; empty if nothing is.
BACKOFF_ACTOR_EXPORT Problems check(const SqliteOptions& options);

/// Opens a store in a file, and makes it if there is none or it is empty. The store is this object's
/// alone until it is destroyed.
///
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and `StoreError` if
///         the file cannot be used. A file that is no store is not changed.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_sqlite_store(const std::filesystem::path& file, const SqliteOptions& options = {});

/// Opens a store to look at, whether or not somebody owns it. What is seen is the store as it was at the
/// first look; nothing in it can be changed. Not for long: the owner's log grows meanwhile.
///
/// @errors as `open_sqlite_store`; in addition, a file that is not there or empty cannot be opened, and
///         whatever would change the store throws `StoreError` with `read_only`.
BACKOFF_ACTOR_EXPORT std::shared_ptr<DeliveryStore>
open_sqlite_store_to_read(const std::filesystem::path& file, const SqliteOptions& options = {});

} // namespace backoff_actor
