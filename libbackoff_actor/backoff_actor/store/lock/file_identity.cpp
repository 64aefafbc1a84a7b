#include "backoff_actor/store/lock/internal/file_identity.hpp"

#include <sys/stat.h>

namespace backoff_actor::detail {

namespace {

FileIdentity identity(const struct stat& x) { return {x.st_dev, x.st_ino}; }

} // namespace

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 ? std::optional{identity(found)} : std::nullopt;
}

std::optional<FileIdentity> identity_of(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 ? std::optional{identity(found)} : std::nullopt;
}

} // namespace backoff_actor::detail
