#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/sinks/observatory.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <memory>

namespace backoff_actor {

namespace detail {
class Heartbeat;
}

/// Lets an observatory see whether an actor system still works: an actor says so once a second. If
/// all threads of the scheduler are blocked, it cannot, and `Observatory::liveness` fails after
/// five seconds.
///
///     const SchedulerWatch watch{system, observatory};
///
/// @range the actor system must outlive it: declare it after the actor system.
class BACKOFF_ACTOR_EXPORT SchedulerWatch {
public:
  /// Begins to watch.
  SchedulerWatch(caf::actor_system& system, const Observatory& observatory);
  SchedulerWatch(const SchedulerWatch&) = delete;
  SchedulerWatch& operator=(const SchedulerWatch&) = delete;
  /// Ends the watch: the actor system no longer counts.
  ~SchedulerWatch();

private:
  std::shared_ptr<detail::Heartbeat> heartbeat_;
  caf::actor actor_;
};

} // namespace backoff_actor
