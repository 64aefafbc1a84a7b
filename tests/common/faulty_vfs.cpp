#include "faulty_vfs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <sqlite3.h>

namespace backoff_actor::test {

namespace {

std::vector<char> contents(const std::string& path) {
  if (!std::filesystem::exists(path))
    return {};
  std::vector<char> result(std::filesystem::file_size(path));
  std::ifstream{path, std::ios::binary}.read(result.data(),
                                             static_cast<std::streamsize>(result.size()));
  return result;
}

} // namespace

// What SQLite allocates for a file; the real one comes directly after it.
struct FaultyVfs::File {
  sqlite3_file base;
  FaultyVfs* vfs;
  Disk* disk; // null: a file that outlives nothing
  bool is_database;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

// SQLite's calls, which know only the file.
struct FaultyVfs::Methods {
  static File& self(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
  static sqlite3_file* real(sqlite3_file* file) { return self(file).real(); }
  static const sqlite3_io_methods& do_really(sqlite3_file* file) { return *real(file)->pMethods; }

  static int close(sqlite3_file* file) { return do_really(file).xClose(real(file)); }

  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
    if (self(file).vfs->take(Call::other) != SQLITE_OK)
      return SQLITE_IOERR_READ;
    return do_really(file).xRead(real(file), to, size, offset);
  }

  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    auto& x = self(file);
    const auto wrong = x.disk != nullptr ? x.vfs->take(Call::write) : SQLITE_OK;
    if (wrong != SQLITE_OK) {
      if (!std::exchange(x.vfs->is_tearing_, false))
        return wrong;
      size /= 2;
    }
    const auto* const bytes = static_cast<const char*>(from);
    if (x.disk != nullptr)
      x.disk->since.push_back({offset, false, {bytes, bytes + size}});
    const auto result = do_really(file).xWrite(real(file), from, size, offset);
    return wrong != SQLITE_OK ? wrong : result;
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    auto& x = self(file);
    if (const auto wrong = x.vfs->take(Call::truncate); wrong != SQLITE_OK)
      return wrong;
    if (x.disk != nullptr)
      x.disk->since.push_back({size, true, {}});
    return do_really(file).xTruncate(real(file), size);
  }

  static int sync(sqlite3_file* file, int) {
    auto& x = self(file);
    if (x.is_database)
      ++x.vfs->calls_.syncs_of_database;
    if (const auto wrong = x.vfs->take(Call::sync); wrong != SQLITE_OK)
      return wrong;
    if (x.disk != nullptr) {
      for (const auto& change : x.disk->since)
        apply(x.disk->durable, change);
      x.disk->since.clear();
    }
    return SQLITE_OK;
  }

  static void apply(std::vector<char>& to, const Change& change) {
    const auto begin = static_cast<std::size_t>(change.offset);
    if (change.is_truncation)
      return to.resize(begin);
    to.resize(std::max(to.size(), begin + change.bytes.size()));
    std::copy(change.bytes.begin(), change.bytes.end(), to.begin() + change.offset);
  }

  static int size(sqlite3_file* f, sqlite3_int64* to) {
    return do_really(f).xFileSize(real(f), to);
  }
  static int lock(sqlite3_file* f, int level) { return do_really(f).xLock(real(f), level); }
  static int unlock(sqlite3_file* f, int level) { return do_really(f).xUnlock(real(f), level); }
  static int is_reserved(sqlite3_file* f, int* to) {
    return do_really(f).xCheckReservedLock(real(f), to);
  }
  static int control(sqlite3_file* f, int what, void* x) {
    return do_really(f).xFileControl(real(f), what, x);
  }
  static int sector(sqlite3_file* f) { return do_really(f).xSectorSize(real(f)); }
  static int character(sqlite3_file* f) { return do_really(f).xDeviceCharacteristics(real(f)); }
  static int map(sqlite3_file* f, int page, int size, int extend, void volatile** to) {
    return do_really(f).xShmMap(real(f), page, size, extend, to);
  }
  static int lock_shared(sqlite3_file* f, int offset, int n, int flags) {
    return do_really(f).xShmLock(real(f), offset, n, flags);
  }
  static void barrier(sqlite3_file* f) { do_really(f).xShmBarrier(real(f)); }
  static int unmap(sqlite3_file* f, int remove) { return do_really(f).xShmUnmap(real(f), remove); }

  static FaultyVfs& vfs_of(sqlite3_vfs* vfs) { return *static_cast<FaultyVfs*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                  int* out_flags) {
    auto& x = self(file);
    auto& owner = vfs_of(vfs);
    x.base.pMethods = nullptr;
    if (owner.take(Call::other) != SQLITE_OK)
      return SQLITE_CANTOPEN;
    x.vfs = &owner;
    x.is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    x.disk = owner.disk_of(path, flags);
    const auto result = owner.real_->xOpen(owner.real_, path, x.real(), flags, out_flags);
    if (x.real()->pMethods != nullptr)
      x.base.pMethods = &methods;
    return result;
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int) {
    auto& owner = vfs_of(vfs);
    if (owner.take(Call::other) != SQLITE_OK)
      return SQLITE_IOERR_DELETE;
    // Files that are open stay where they are in the map.
    if (const auto found = owner.disks_.find(path); found != owner.disks_.end())
      found->second = {};
    return owner.real_->xDelete(owner.real_, path, 0);
  }

  static const sqlite3_io_methods methods;
};

const sqlite3_io_methods FaultyVfs::Methods::methods{
  2,       &close,       &read,    &write,  &truncate,  &sync, &size,        &lock,
  &unlock, &is_reserved, &control, &sector, &character, &map,  &lock_shared, &barrier,
  &unmap,  nullptr,      nullptr};

FaultyVfs::FaultyVfs()
  : real_(sqlite3_vfs_find(nullptr)), vfs_(std::make_unique<sqlite3_vfs>(*real_)) {
  vfs_->szOsFile += static_cast<int>(sizeof(File));
  vfs_->pNext = nullptr;
  vfs_->zName = name;
  vfs_->pAppData = this;
  vfs_->xOpen = &Methods::open;
  vfs_->xDelete = &Methods::remove;
  // The others ask the object that they are given for nothing of its own.
  if (sqlite3_vfs_register(vfs_.get(), 0) != SQLITE_OK)
    throw std::runtime_error("the VFS cannot be registered");
}

FaultyVfs::~FaultyVfs() { sqlite3_vfs_unregister(vfs_.get()); }

void FaultyVfs::arm(Fault fault, std::uint64_t n, std::uint64_t most) {
  fault_ = fault;
  left_ = n;
  most_ = most;
  is_armed_ = true;
  is_lasting_ = has_struck_ = false;
}

void FaultyVfs::kill() {
  fault_ = Fault::disk_gone;
  is_lasting_ = true;
  most_ = UINT64_MAX;
}

bool FaultyVfs::can_happen(Call call) const {
  switch (fault_) {
  case Fault::full:
  case Fault::write_error:
  case Fault::disk_gone:
    return call == Call::write;
  case Fault::sync_error:
  case Fault::sync_full:
    return call == Call::sync;
  case Fault::power_loss:
  case Fault::torn_write:
    return call != Call::other;
  }
  return false;
}

int FaultyVfs::take(Call call) {
  calls_.writes += call == Call::write ? 1 : 0;
  calls_.truncates += call == Call::truncate ? 1 : 0;
  calls_.syncs += call == Call::sync ? 1 : 0;
  const auto code = fault_ == Fault::full    ? SQLITE_FULL
                    : call == Call::sync     ? SQLITE_IOERR_FSYNC
                    : call == Call::truncate ? SQLITE_IOERR_TRUNCATE
                                             : SQLITE_IOERR_WRITE;
  if (is_lasting_) {
    if ((fault_ == Fault::full || fault_ == Fault::sync_full) && !can_happen(call))
      return SQLITE_OK;
    errno = fault_ == Fault::sync_full ? ENOSPC : EIO;
    is_lasting_ = --most_ > 0;
    return code;
  }
  if (!is_armed_ || !can_happen(call) || --left_ != 0)
    return SQLITE_OK;
  is_armed_ = false;
  has_struck_ = true;
  errno = fault_ == Fault::sync_full ? ENOSPC : EIO;
  is_tearing_ = fault_ == Fault::torn_write && call == Call::write;
  is_lasting_ = fault_ != Fault::write_error && fault_ != Fault::sync_error && --most_ > 0;
  return code;
}

FaultyVfs::Disk* FaultyVfs::disk_of(const char* path, int flags) {
  constexpr auto lasting = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
  if (path == nullptr || (flags & lasting) == 0)
    return nullptr;
  const auto [it, is_new] = disks_.try_emplace(path);
  if (is_new)
    it->second.durable =
      contents(path); // before it is open, so no lock is lost with the descriptor
  return &it->second;
}

void FaultyVfs::lose_power(Kept kept) {
  for (auto& [path, disk] : disks_) {
    const auto count = disk.since.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto reaches_it = kept == Kept::everything
                              || (kept == Kept::first_half && i < count / 2)
                              || (kept == Kept::second_half && i >= count / 2)
                              || (kept == Kept::every_second && i % 2 == 1);
      if (reaches_it)
        Methods::apply(disk.durable, disk.since[i]);
    }
    if (std::filesystem::exists(path)) {
      // In place, for some file systems wait for the disk after a truncation to nothing.
      std::fstream out{path, std::ios::binary | std::ios::in | std::ios::out};
      out.write(disk.durable.data(), static_cast<std::streamsize>(disk.durable.size()));
      out.close();
      std::filesystem::resize_file(path, disk.durable.size());
    }
    std::filesystem::remove(path + "-shm");
  }
  disks_.clear();
}

} // namespace backoff_actor::test
