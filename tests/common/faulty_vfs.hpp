#pragma once

// Design notes
//
// A VFS of SQLite that passes everything on to the default one, counts what would reach a disk, and
// fails where it is told to. Nothing is really synced. Instead it remembers, of the database, its
// journal and its log, what the last sync has made durable and what was written since; so it can
// tell what a disk might hold after a power loss, and puts that into the files.
//
// Names are taken to be durable at once: making and deleting a file is not undone.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct sqlite3_file;
struct sqlite3_vfs;

namespace backoff_actor::test {

/// What goes wrong.
enum class Fault : std::uint8_t {
  full,        ///< this write and all after it find no room
  write_error, ///< this write fails
  disk_gone,   ///< this write and everything after it fails
  sync_error,  ///< this sync fails, having done nothing
  power_loss,  ///< this write, truncation or sync does not happen, nor does anything after it
  torn_write,  ///< as power_loss, but of a write the first half happens
  sync_full,   ///< this sync and all after it find no room, having done nothing
};

/// What of that which was not synced reaches the disk all the same.
enum class Kept : std::uint8_t {
  nothing,
  first_half,   ///< of the calls
  second_half,  ///< of the calls, and not what was before
  every_second, ///< call
  everything,   ///< as when only the process has ended
};

/// Calls that reached a disk, or were to.
struct DiskCalls {
  std::uint64_t writes = 0;
  std::uint64_t truncates = 0;
  std::uint64_t syncs = 0;             ///< of all files
  std::uint64_t syncs_of_database = 0; ///< one a checkpoint
};

/// A VFS with the name "faulty", for as long as this lives.
///
/// @range one at a time
/// @thread one at a time
class FaultyVfs {
public:
  static constexpr auto name = "faulty";

  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();

  /// Lets the n-th call from now on, of those that this can happen to, go wrong. `most`: what goes
  /// on going wrong ends after so many calls.
  ///
  /// @range 1 and above
  void arm(Fault fault, std::uint64_t n, std::uint64_t most = UINT64_MAX);

  /// Nothing goes wrong from now on.
  void disarm() { is_armed_ = is_lasting_ = false; }

  /// Everything goes wrong from now on.
  void kill();

  /// Whether what has gone wrong goes on.
  bool is_failing() const { return is_lasting_; }

  /// Whether that is only that there is no room.
  bool is_full() const { return is_lasting_ && fault_ == Fault::full; }

  /// Whether something has gone wrong since `arm`.
  bool has_struck() const { return has_struck_; }

  /// Puts into the files what is on the disk after a power loss now, and forgets about them.
  ///
  /// @range all files are closed
  void lose_power(Kept kept);

  /// So far.
  const DiskCalls& calls() const { return calls_; }

private:
  enum class Call : std::uint8_t { write, truncate, sync, other };
  struct Change {
    std::int64_t offset; // of a truncation the new size
    bool is_truncation;
    std::vector<char> bytes;
  };
  struct Disk {
    std::vector<char> durable;
    std::vector<Change> since;
  };
  struct File;
  struct Methods;

  // Counts the call; returns SQLite's code for what goes wrong with it, 0 for nothing.
  int take(Call call);
  bool can_happen(Call call) const;
  Disk* disk_of(const char* path, int flags);

  sqlite3_vfs* real_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  std::map<std::string, Disk> disks_{};
  DiskCalls calls_{};
  Fault fault_ = Fault::full;
  std::uint64_t left_ = 0;
  std::uint64_t most_ = 0; // calls that are still to go wrong
  bool is_armed_ = false;
  bool is_lasting_ = false; // what has gone wrong goes on
  bool has_struck_ = false;
  bool is_tearing_ = false; // of the write that goes wrong, a half happens
};

} // namespace backoff_actor::test
