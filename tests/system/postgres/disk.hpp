#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>

namespace backoff_actor::system_test {

/// A small disk in memory, which can be filled. Only this process and those that it starts see it.
class SmallDisk {
public:
  /// Makes one in an empty folder; null: this user may not.
  static std::unique_ptr<SmallDisk> at(const std::filesystem::path& folder, std::size_t megabytes);

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk();

  /// The folder.
  const std::filesystem::path& path() const { return folder_; }

  /// Leaves no room.
  void fill() const;

  /// Gives the room back.
  void make_room() const;

private:
  explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

} // namespace backoff_actor::system_test
