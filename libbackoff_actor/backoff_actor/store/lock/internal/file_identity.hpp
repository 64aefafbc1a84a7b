#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace backoff_actor::detail {

// Which file it is, whatever it is called.
struct FileIdentity {
  std::uint64_t device;
  std::uint64_t number;

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

// The file that the name leads to, or that is open; none: there is none.
std::optional<FileIdentity> identity_of(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of(int descriptor);

} // namespace backoff_actor::detail
