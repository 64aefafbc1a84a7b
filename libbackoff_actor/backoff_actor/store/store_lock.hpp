#pragma once

#include <filesystem>

namespace backoff_actor::detail {

// The right to change a store: an advisory lock on a file beside it, which holds the owner's process
// number as text. Freed with this object, or by the kernel with the process.
class StoreLock {
public:
  // Locks FILE.lock, and makes it if it is not there.
  //
  // @errors throws `StoreError`: `in_use` with the owner's process number, `read_only`, `full`,
  //         `cannot_open`.
  explicit StoreLock(const std::filesystem::path& store);

  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();

  // From now on the lock's file stays when the lock is freed. Until then one that this object made is
  // removed: a file that turns out not to be a store gets no companion.
  void keep() { is_kept_ = true; }

private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool is_kept_ = true;
};

} // namespace backoff_actor::detail
