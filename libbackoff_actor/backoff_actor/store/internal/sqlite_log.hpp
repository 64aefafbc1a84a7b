#pragma once

#include "backoff_actor/store/lock/internal/file_identity.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace backoff_actor::detail {

// Returns the maximum length of a log. If the disk has little room, the log stays within a small
// multiple of its file.
//
// @units pages of 4096 bytes; `room` in bytes
std::uint32_t most_log_pages(std::uint32_t allowed, std::uint64_t file_pages, std::uint64_t room);

// The write-ahead log of a store, FILE-wal, as a file.
class SqliteLog {
public:
  explicit SqliteLog(const std::filesystem::path& store)
    : store_(store), path_(store.string() + "-wal") {}

  // Returns `most_log_pages` for the present size of the file and the free disk space.
  std::uint32_t most_pages(std::uint32_t allowed) const;

  const std::filesystem::path& path() const { return path_; }

  // Whether the log has content. A reserve has none.
  bool has_content() const;

  // Remembers which file is the log, for `is_in_place`.
  void watch() { watched_ = identity_of(path_); }
  bool has_watch() const { return watched_.has_value(); }

  // Whether the watched file still has its name. True if no file is watched.
  bool is_in_place() const { return !watched_ || identity_of(path_) == watched_; }

  // Makes the log a reserve of `bytes` bytes: it begins with zeros, which SQLite takes for an empty
  // log. If the disk has no room, there is no reserve.
  //
  // @range nobody uses the store; all of the log's content is in the file
  void reserve(std::uint64_t bytes, std::filesystem::perms mode) const;

private:
  std::filesystem::path store_;
  std::filesystem::path path_;
  std::optional<FileIdentity> watched_{};
};

} // namespace backoff_actor::detail
