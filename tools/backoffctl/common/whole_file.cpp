#include "whole_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace backoffctl {

namespace {

using std::filesystem::path;

[[noreturn]] void fail(const path& file, const std::string& reason) {
  throw std::runtime_error{file.string() + " cannot be written: " + reason};
}

std::string reason_of(int error) { return std::generic_category().message(error); }

// Where the file really is; refuses what may not be put in place of.
path destination(const path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (is_directory(status))
    fail(file, "it is a folder");
  if (exists(status) && !is_regular_file(status))
    fail(file, "it is not a regular file");
  if (exists(status) && access(file.c_str(), W_OK) != 0)
    fail(file, reason_of(errno));
  const auto folder = file.has_parent_path() ? file.parent_path() : path{"."};
  if (!is_directory(std::filesystem::status(folder, error)))
    fail(file, "there is no folder " + folder.string());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail(file, reason_of(errno));
  return exists(status) ? std::filesystem::canonical(file) : file;
}

mode_t mode_of(const path& file) {
  struct stat existing {};
  if (stat(file.c_str(), &existing) == 0)
    return existing.st_mode & 0777;
  const auto mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// A file of its own name that is gone unless it is renamed.
class Draft {
public:
  explicit Draft(const path& beside)
    : name_(beside.string() + ".XXXXXX"), descriptor_(mkstemp(name_.data())) {
    if (descriptor_ < 0)
      fail(beside, reason_of(errno));
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (descriptor_ >= 0)
      close(descriptor_);
    if (!name_.empty())
      unlink(name_.c_str());
  }

  /// Returns 0, or what went wrong.
  int write(const std::string& content, mode_t mode) {
    for (std::size_t done = 0; done < content.size();) {
      const auto count = ::write(descriptor_, content.data() + done, content.size() - done);
      if (count < 0 && errno != EINTR)
        return errno;
      done += count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    if (fchmod(descriptor_, mode) != 0)
      return errno;
    return close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  }

  int rename_to(const path& file) {
    if (rename(name_.c_str(), file.c_str()) != 0)
      return errno;
    name_.clear();
    return 0;
  }

private:
  std::string name_;
  int descriptor_;
};

} // namespace

void check_whole_file(const path& file) { destination(file); }

void write_whole_file(const path& file, const std::string& content) {
  const auto place = destination(file);
  Draft draft{place};
  if (const auto error = draft.write(content, mode_of(place)))
    fail(file, reason_of(error));
  if (const auto error = draft.rename_to(place))
    fail(file, reason_of(error));
}

} // namespace backoffctl
