#include "backoff_actor/store/lock/internal/store_lock.hpp"

#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/store/lock/internal/network_file_system.hpp"

#include <cerrno>
#include <csignal>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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
    throw StoreError(StoreFailure::read_only,
                     where + ": this user has no permission to create a file beside it " + why
                       + "; give this user write permission for the folder");
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

std::string text_in(int descriptor) {
  std::string result(record_size, '\0');
  const auto size = pread(descriptor, result.data(), result.size(), 0);
  result.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return result;
}

// Returns the owner of the lock, by the text in its file.
std::string owner(int descriptor, const std::filesystem::path& lock) {
  const auto pid = read_pid(text_in(descriptor));
  if (pid == 0)
    return "another process";
  if (pid == static_cast<std::uint64_t>(getpid()))
    return "another part of this process";
  const auto number = std::to_string(pid);
  if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
    return "another process has locked " + lock.string()
           + " (no process here has the number in it, " + number + ") and";
  return "process " + number;
}

mode_t bits(std::filesystem::perms mode) {
  return static_cast<mode_t>(mode & std::filesystem::perms::mask);
}

// The files that this process has locked. If the process opened and closed one of them again,
// SQLite would lose its locks.
struct Locked {
  std::mutex mutex{};
  std::set<FileIdentity> files{};
};

Locked& locked() {
  static Locked result;
  return result;
}

} // namespace

StoreLock::StoreLock(const std::filesystem::path& store, std::filesystem::perms mode)
  : store_(store), path_(store.string() + ".lock"), mode_(mode) {
  const auto fail = [&](int error) {
    if (descriptor_ >= 0)
      close(descriptor_);
    raise(store, path_, error);
  };
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, bits(mode));
    is_kept_ = descriptor_ < 0;
    if (!is_kept_)
      fchmod(descriptor_, bits(mode)); // independent of the umask
    if (is_kept_ && errno == EEXIST)
      descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) {
      if (errno == ENOENT && std::filesystem::exists(path_.parent_path()))
        continue; // the file existed, and was removed just now
      fail(errno);
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK)
        fail(errno);
      const auto who = owner(descriptor_, path_);
      close(descriptor_);
      throw StoreError(StoreFailure::in_use,
                       store.string() + ": " + who
                         + " is using it; end that first, or name another file");
    }
    if (identity_of(path_) == identity_of(descriptor_))
      break; // otherwise the file was removed by an owner that failed to open its store
    close(descriptor_);
  }
  last_owner_ = read_record(text_in(descriptor_));
  auto record = last_owner_.value_or(OwnerRecord{});
  record.pid = static_cast<std::uint64_t>(getpid());
  if (!write(record))
    fail(errno == 0 ? ENOSPC : errno);
}

StoreLock::~StoreLock() {
  if (file_) {
    const std::lock_guard lock{locked().mutex};
    locked().files.erase(*file_);
  }
  if (file_descriptor_ >= 0)
    close(file_descriptor_);
  std::error_code error;
  if (is_file_made_ && std::filesystem::file_size(store_, error) == 0 && !error)
    unlink(store_.c_str());
  if (!is_kept_ && identity_of(path_) == identity_of(descriptor_))
    unlink(path_.c_str());
  close(descriptor_);
}

void StoreLock::make_file() {
  const auto made = ::open(store_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, bits(mode_));
  if (made < 0) {
    if (errno != EEXIST)
      raise(store_, store_, errno);
    return;
  }
  is_file_made_ = true;
  fchmod(made, bits(mode_));
  close(made); // SQLite has not opened it yet, so it loses no locks
}

void StoreLock::lock_file() {
  const auto fail = [&](StoreFailure failure, const std::string& why) {
    throw StoreError(failure, store_.string() + ": " + why);
  };
  const auto identity = identity_of(store_);
  if (!identity)
    raise(store_, store_, errno);
  const std::lock_guard lock{locked().mutex};
  if (locked().files.contains(*identity))
    fail(StoreFailure::in_use, "another part of this process is using it under another name; end "
                               "that first, or name another file");
  file_descriptor_ = ::open(store_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_descriptor_ < 0)
    return; // SQLite says why
  struct statfs system {};
  if (fstatfs(file_descriptor_, &system) == 0) {
    const auto name = network_file_system(static_cast<long>(system.f_type));
    if (!name.empty())
      fail(StoreFailure::cannot_open,
           "is on another machine (" + std::string{name}
             + "), where it cannot be locked; name a file of a local file system");
  }
  if (flock(file_descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      raise(store_, store_, errno);
    fail(StoreFailure::in_use, "another process is using it under another name, or since before "
                                 + path_.string()
                                 + " was removed; end that first, or name another file");
  }
  locked().files.insert(*identity);
  file_ = identity;
}

std::string StoreLock::note(const OwnerRecord& record) {
  std::string told;
  if (identity_of(path_) != identity_of(descriptor_))
    told = make_again();
  if (!write(record) && !is_told_) {
    is_told_ = true;
    told.append(told.empty() ? "" : "; ")
      .append(path_.string() + " cannot be written (" + std::generic_category().message(errno)
              + "): if the log is lost, the next start may not notice the loss");
  }
  return told;
}

// Makes FILE.lock again after it was removed. Another process that tries to open the store may have
// made and locked it meanwhile. That process fails later, at the lock on FILE. Until then this
// returns without success, and the next `note` tries again.
std::string StoreLock::make_again() {
  const auto made = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, bits(mode_));
  if (made < 0)
    return {};
  if (flock(made, LOCK_EX | LOCK_NB) != 0) {
    close(made);
    return {};
  }
  close(descriptor_);
  descriptor_ = made;
  return path_.string() + " was removed while it was in use; the store created it again";
}

bool StoreLock::write(const OwnerRecord& record) const {
  const auto text = text_of(record);
  errno = 0;
  return pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

} // namespace backoff_actor::detail
