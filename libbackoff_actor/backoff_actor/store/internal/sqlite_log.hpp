#pragma once

#include "backoff_actor/store/lock/internal/file_identity.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace backoff_actor::detail {

// How long a log may become. Where there is little room on the disk it is not many times as long as its file.
//
// @units pages of 4096 bytes; `room` in bytes
std::uint32_t most_log_pages(std::uint32_t allowed, std::uint64_t file_pages, std::uint64_t room);

// The write-ahead log of a store, FILE-wal, as a file.
class SqliteLog {
public:
  explicit SqliteLog(const std::filesystem::path& store)
    : store_(store), path_(store.string() + "-wal") {}

  // `most_log_pages` as things are.
  std::uint32_t most_pages(std::uint32_t allowed) const;

  const std::filesystem::path& path() const { return path_; }

  // Whether there is something in it. A reserve is no more than room.
  bool has_content() const;

  // The log is in use now.
  void watch() { watched_ = identity_of(path_); }
  bool has_watch() const { return watched_.has_value(); }

  // Whether the file that is watched still has its name; true if none is.
  bool is_in_place() const { return !watched_ || identity_of(path_) == watched_; }

  // Makes the log a reserve of so many bytes: it begins with zeros, which SQLite takes for an empty log. Does what it
  // can: without room there is no reserve.
  //
  // @range nobody uses the store; nothing of it is in the log
  void reserve(std::uint64_t bytes, std::filesystem::perms mode) const;

private:
  std::filesystem::path store_;
  std::filesystem::path path_;
  std::optional<FileIdentity> watched_{};
};

} // namespace backoff_actor::detail
