#include "whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

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

// Of a file that is there, or of a new one.
mode_t mode_of(const path& file) {
  struct stat existing {};
  if (stat(file.c_str(), &existing) == 0)
    return existing.st_mode & 0777;
  const auto mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Returns 0, or what went wrong.
int write_to(const std::string& file, const std::string& content) {
  errno = 0;
  std::ofstream stream{file, std::ios::binary};
  stream << content;
  stream.close();
  return stream ? 0 : errno == 0 ? EIO : errno;
}

} // namespace

void check_whole_file(const path& file) { destination(file); }

void write_whole_file(const path& file, const std::string& content) {
  const auto place = destination(file);
  auto draft = place.string() + ".XXXXXX";
  const auto descriptor = mkstemp(draft.data());
  if (descriptor < 0)
    fail(file, reason_of(errno));
  auto error = fchmod(descriptor, mode_of(place)) == 0 ? 0 : errno;
  close(descriptor);
  if (error == 0)
    error = write_to(draft, content);
  if (error == 0 && rename(draft.c_str(), place.c_str()) == 0)
    return;
  if (error == 0)
    error = errno;
  unlink(draft.c_str());
  fail(file, reason_of(error));
}

} // namespace backoffctl
