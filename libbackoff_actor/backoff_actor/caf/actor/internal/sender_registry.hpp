#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace backoff_actor::detail {

// A sender, as the registry knows it. It keeps no sender alive, but keeps the memory of one that
// has ended.
struct RegisteredSender {
  caf::actor_addr address{};
  std::string name{};                    // for people
  std::optional<Duration> ack_timeout{}; // as in its options
};

// The senders of one actor system, from their start to their end: those that were started while
// the registry existed.
//
// All members may be called from any thread.
class BACKOFF_ACTOR_EXPORT SenderRegistry {
public:
  // Returns the registry of a system, and makes it if there is none. It lives as long as somebody
  // holds it.
  static std::shared_ptr<SenderRegistry> of(const caf::actor_system& system);

  // Whether there is a registry of any system. A sender asks this at its start, and nothing else
  // while there is none.
  static bool is_any();

  // Registers a sender of that system, until the result is destroyed. Returns null if the system
  // has no registry.
  static std::shared_ptr<const void> enroll(const caf::actor_system& system,
                                            RegisteredSender sender);

  // Only `of` calls it.
  explicit SenderRegistry(const caf::actor_system& system);
  SenderRegistry(const SenderRegistry&) = delete;
  SenderRegistry& operator=(const SenderRegistry&) = delete;
  ~SenderRegistry();

  // Returns the senders that have not ended, in the order of their start.
  std::vector<RegisteredSender> senders() const;

  // Waits until a sender has ended, but no longer than `span`.
  void wait_for_end(Duration span);

private:
  class Registration;

  void leave(std::uint64_t number);

  const caf::actor_system* system_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::uint64_t, RegisteredSender> senders_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  std::uint64_t ends_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = 0;
};

} // namespace backoff_actor::detail
