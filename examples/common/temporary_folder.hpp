#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace http_guard {

/// A fresh folder that goes, with all that is in it, with this object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "http_guard-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a folder " + name);
    path_ = name;
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

} // namespace http_guard
