#pragma once

// Part of compat: an actor system in one thread, whose clock stands still until it is moved. Each
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

namespace backoff_actor::compat {

/// An actor system in one thread, whose clock stands still until it is moved. `VirtualTime` is
/// built on it.
///
/// @thread all members in the thread that made it.
class BACKOFF_ACTOR_EXPORT VirtualSystem {
public:
  /// Makes the system, after `configure` has been called on its configuration.
  explicit VirtualSystem(const std::function<void(caf::actor_system_config&)>& configure);
  /// Waits for all actors to end. If an actor is never told to end, this waits for ever.
  ~VirtualSystem();

  /// The system to spawn into; none of its actors may be detached or blocking.
  caf::actor_system& system();

  /// Runs one actor that has work and is not frozen; returns false if there is none.
  bool step();

  /// Keeps an actor from running until it is thawed; holds a handle to it meanwhile.
  void freeze(const caf::actor& actor);

  /// Lets a frozen actor run again.
  void thaw(const caf::actor& actor);

  /// Lets all frozen actors run again.
  void thaw_all();

  /// The present time of the clock.
  Instant now();

  /// Moves the clock forward to `at`, fires all timers up to then, and returns how many.
  ///
  /// @range `at >= now()`
  std::size_t move_to(Instant at);

  /// How many timers are set.
  std::size_t timers();

  /// When the next timer fires; nothing if none is set.
  std::optional<Instant> next_timer();

  /// Cancels all timers, and frees their messages.
  void drop_timers();

private:
  class Impl;

  struct Frozen {
    caf::actor actor;
    caf::resumable* job; // the actor, as the scheduler knows it
  };

  bool is_frozen(const caf::resumable* job) const;

  std::unique_ptr<Impl> impl_;
  std::vector<Frozen> frozen_;
};

} // namespace backoff_actor::compat
