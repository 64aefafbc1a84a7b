#pragma once

#include "backoff_actor/store/lock/internal/file_identity.hpp"
#include "backoff_actor/store/lock/internal/owner_record.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace backoff_actor::detail {

// The right to change a store: two advisory locks (flock). One is on FILE.lock, which also holds
// the owner's record. The other is on FILE itself, because FILE.lock can be removed, and FILE can
// have two names. The destructor frees both; if the process dies, the kernel does.
//
// SQLite uses locks of another kind (fcntl). They would be lost if this process closed a descriptor
// of FILE. So this object keeps its descriptor open until SQLite has closed the file.
class StoreLock {
public:
  // Locks FILE.lock, and makes it with these permissions if it does not exist.
  //
  // @errors throws `StoreError`: `in_use` with the owner's process number, `read_only`, `full`,
  //         `cannot_open`.
  StoreLock(const std::filesystem::path& store, std::filesystem::perms mode);

  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();

  // The last owner's record; none: there was no owner, or it was of version 1, or the file was
  // removed.
  const std::optional<OwnerRecord>& last_owner() const { return last_owner_; }

  // Makes FILE, empty and with the permissions of FILE.lock, if it does not exist.
  //
  // @errors throws `StoreError`: `read_only`, `full`, `cannot_open`.
  void make_file();

  // Locks FILE, which exists, before SQLite opens it.
  //
  // @errors throws `StoreError`: `in_use`; `cannot_open` if its file system has no such locks.
  void lock_file();

  // From now on the files stay when the lock is freed. Before this call, the destructor removes the
  // files that this object made: FILE only if it is empty. So no FILE.lock stays beside a file that
  // turns out not to be a store.
  void keep() {
    is_kept_ = true;
    is_file_made_ = false;
  }

  // Writes the record into FILE.lock, and makes the file again if it was removed. Returns a notice
  // about that; empty: none.
  std::string note(const OwnerRecord& record);

  // As `keep`, of FILE alone.
  void keep_file() { is_file_made_ = false; }

private:
  std::string make_again();
  bool write(const OwnerRecord& record) const;

  const std::filesystem::path store_;
  const std::filesystem::path path_;
  const std::filesystem::perms mode_;
  std::optional<OwnerRecord> last_owner_{};
  std::optional<FileIdentity> file_{}; // locked by this process
  int descriptor_ = -1;
  int file_descriptor_ = -1;
  bool is_kept_ = true;
  bool is_file_made_ = false;
  bool is_told_ = false; // it was reported that FILE.lock cannot be written
};

} // namespace backoff_actor::detail
