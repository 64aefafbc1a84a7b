#pragma once

// A mutex and a lock whose use clang checks with -Wthread-safety: a member that is marked with
// BACKOFF_ACTOR_GUARDED_BY is touched only with its mutex, and a function that is marked with
// BACKOFF_ACTOR_REQUIRES is called only with it. What is marked with BACKOFF_ACTOR_WITHOUT_LOCK is
// not checked; its comment says why it may do without. For other compilers the marks are empty.
// They cannot be put on std::mutex, so `Mutex` is one that has them. scripts/check_locks runs the
// check.

#include <mutex>

#if defined(__clang__)
#define BACKOFF_ACTOR_LOCK_MARK(x) __attribute__((x))
#else
#define BACKOFF_ACTOR_LOCK_MARK(x)
#endif

#define BACKOFF_ACTOR_GUARDED_BY(mutex) BACKOFF_ACTOR_LOCK_MARK(guarded_by(mutex))
#define BACKOFF_ACTOR_REQUIRES(mutex) BACKOFF_ACTOR_LOCK_MARK(requires_capability(mutex))
#define BACKOFF_ACTOR_WITHOUT_LOCK BACKOFF_ACTOR_LOCK_MARK(no_thread_safety_analysis)

namespace backoff_actor::detail {

class BACKOFF_ACTOR_LOCK_MARK(capability("mutex")) Mutex : public std::mutex {
public:
  void lock() BACKOFF_ACTOR_LOCK_MARK(acquire_capability()) { std::mutex::lock(); }
  void unlock() BACKOFF_ACTOR_LOCK_MARK(release_capability()) { std::mutex::unlock(); }
};

// Holds a mutex. A condition variable takes it for the std::unique_lock that it is; what is waited
// for is asked in a loop, or by a lambda that is marked too.
class BACKOFF_ACTOR_LOCK_MARK(scoped_lockable) Lock : public std::unique_lock<std::mutex> {
public:
  explicit Lock(Mutex& mutex) BACKOFF_ACTOR_LOCK_MARK(acquire_capability(mutex))
    : std::unique_lock<std::mutex>(mutex) {}
  ~Lock() BACKOFF_ACTOR_LOCK_MARK(release_capability()) = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

} // namespace backoff_actor::detail
