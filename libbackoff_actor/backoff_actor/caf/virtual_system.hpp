#pragma once

// Part of the seam: an actor system in one thread, whose clock stands still until it is moved. Each
// version of CAF has an implementation of its own.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace backoff_actor::seam {

class BACKOFF_ACTOR_EXPORT VirtualSystem {
public:
  /// @param configure called on the configuration before the system is made.
  explicit VirtualSystem(const std::function<void(caf::actor_system_config&)>& configure);
  ~VirtualSystem();

  caf::actor_system& system();

  /// Gives one actor the floor; false if no actor has anything to do.
  bool step();

  Instant now();

  /// Moves the clock on to `at` and lets off all timers up to then.
  ///
  /// @return how many
  std::size_t move_to(Instant at);

  std::size_t timers();
  std::optional<Instant> next_timer();
  void drop_timers();

private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

} // namespace backoff_actor::seam
