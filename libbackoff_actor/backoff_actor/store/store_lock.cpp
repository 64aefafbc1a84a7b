#include "backoff_actor/store/store_lock.hpp"

#include "backoff_actor/delivery/store_error.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace backoff_actor::detail {

namespace {

[[noreturn]] void raise(const std::filesystem::path& store, const std::filesystem::path& lock,
                        int error) {
  const auto where = store.string();
  const auto why = std::string{"("}
                     .append(lock.string())
                     .append(": ")
                     .append(std::generic_category().message(error))
                     .append(")");
  switch (error) {
  case EACCES:
  case EPERM:
  case EROFS:
    throw StoreError(StoreFailure::read_only, where + ": this user may not write beside it " + why
                                                + "; let this user write into the folder");
  case ENOSPC:
  case EDQUOT:
    throw StoreError(StoreFailure::full,
                     where + ": there is no room on the disk " + why + "; make room and try again");
  case EIO:
    throw StoreError(StoreFailure::input_output,
                     where + ": the disk failed " + why + "; see the system's log");
  default:
    throw StoreError(StoreFailure::cannot_open,
                     where + ": cannot be locked " + why + "; name a file of a local file system");
  }
}

// What the owner wrote; empty if it has not yet.
std::string owner(int descriptor) {
  char text[24];
  const auto size = pread(descriptor, text, sizeof text, 0);
  std::string result;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i)
    result += text[i];
  return result;
}

// Whether the name still leads to what was opened: an owner who fails to open its store removes the file.
bool is_at(const std::filesystem::path& path, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0
         && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

} // namespace

StoreLock::StoreLock(const std::filesystem::path& store) : path_(store.string() + ".lock") {
  const auto fail = [&](int error) {
    if (descriptor_ >= 0)
      close(descriptor_);
    raise(store, path_, error);
  };
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    is_kept_ = descriptor_ < 0;
    if (is_kept_ && errno == EEXIST)
      descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) {
      if (errno == ENOENT && std::filesystem::exists(path_.parent_path()))
        continue; // it was there, and has been removed since
      fail(errno);
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK)
        fail(errno);
      const auto pid = owner(descriptor_);
      close(descriptor_);
      const auto who = pid == std::to_string(getpid()) ? "another part of this process"
                       : pid.empty()                   ? "another process"
                                                       : std::string{"process "}.append(pid);
      throw StoreError(StoreFailure::in_use,
                       store.string() + ": " + who
                         + " is using it; end that first, or name another file");
    }
    if (is_at(path_, descriptor_))
      break;
    close(descriptor_);
  }
  const auto pid = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor_, 0) != 0)
    fail(errno);
  if (pwrite(descriptor_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    fail(ENOSPC);
}

StoreLock::~StoreLock() {
  if (!is_kept_)
    unlink(path_.c_str());
  close(descriptor_);
}

} // namespace backoff_actor::detail
