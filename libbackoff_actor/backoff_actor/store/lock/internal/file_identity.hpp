#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace backoff_actor::detail {

// Identifies a file, independently of its names.
struct FileIdentity {
  std::uint64_t device;
  std::uint64_t number;

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

// Returns the identity of the file at the path, or of the open file; none: there is no such file.
std::optional<FileIdentity> identity_of(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of(int descriptor);

} // namespace backoff_actor::detail
