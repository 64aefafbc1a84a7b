#pragma once

// Part of the seam: an actor system in one thread, whose clock stands still until it is moved. Each
// version of CAF has an implementation of its own.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/resumable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace backoff_actor::seam {

/// An actor system in one thread, whose clock stands still until it is moved; `VirtualTime` is made
/// of it.
///
/// @thread all members in the thread that made it.
class BACKOFF_ACTOR_EXPORT VirtualSystem {
public:
  /// Makes the system, after `configure` has been called on its configuration.
  explicit VirtualSystem(const std::function<void(caf::actor_system_config&)>& configure);
  /// Waits for all actors to end; those that are never told to hold it up for ever.
  ~VirtualSystem();

  /// The system to spawn into; none of its actors may be detached or blocking.
  caf::actor_system& system();

  /// Gives one actor the floor; false if no actor that may have it has anything to do.
  bool step();

  /// Gives an actor the floor no more until it thaws; holds a handle to it meanwhile.
  void freeze(const caf::actor& actor);

  /// Gives a frozen actor the floor again.
  void thaw(const caf::actor& actor);

  /// Gives all frozen actors the floor again.
  void thaw_all();

  /// Where the clock stands.
  Instant now();

  /// Moves the clock on to `at`, lets off all timers up to then, and returns how many.
  ///
  /// @range `at >= now()`
  std::size_t move_to(Instant at);

  /// How many timers are set.
  std::size_t timers();

  /// When the next timer goes off; nothing if none is set.
  std::optional<Instant> next_timer();

  /// Takes back all timers, and what their messages hold.
  void drop_timers();

private:
  class Impl;

  bool is_frozen(caf::resumable* job) const;

  std::unique_ptr<Impl> impl_;
  std::vector<caf::actor> frozen_;
};

} // namespace backoff_actor::seam
