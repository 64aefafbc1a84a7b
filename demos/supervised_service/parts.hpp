#pragma once

#include "backoff_actor/caf/child/child_ref.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace supervised_service {

/// The addresses of all parts of the tree, which stay whatever becomes of the parts: nobody holds
/// an actor of another part. That is why root need not restart what stands on a part together with
/// it.
///
/// @thread safe from any thread, once it is made.
struct Parts {
  Parts(caf::actor_system& system, std::uint64_t count)
    : cache(system), pool(system), front(system) {
    for (std::uint64_t i = 0; i < count; ++i) {
      senders.emplace_back(system);
      workers.emplace_back(system);
    }
  }

  backoff_actor::ChildRef cache;
  backoff_actor::ChildRef pool;
  backoff_actor::ChildRef front;
  std::vector<backoff_actor::ChildRef> senders;
  std::vector<backoff_actor::ChildRef> workers; ///< the children of the senders, in their order
};

/// The name of the n-th of the senders or workers, counted from 0: `worker-1`.
inline std::string nth(const char* what, std::size_t n) {
  return std::string{what} + "-" + std::to_string(n + 1);
}

/// What outlives every part: what customers got.
///
/// @thread safe from any thread.
struct Desk {
  std::atomic<std::uint64_t> answered{0};
  std::atomic<std::uint64_t> refused{0}; ///< with 503
};

} // namespace supervised_service
