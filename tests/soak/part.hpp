#pragma once

#include "account.hpp"

#include <backoff_actor/observe/events.hpp>
#include <backoff_actor/observe/supervisor_events.hpp>
#include <backoff_actor/sinks/observatory.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace caf {
class actor_system;
}

namespace backoff_actor::soak {

/// What has happened in all senders and supervisors. Written by their hooks.
struct Happenings {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> acknowledged{0};
  std::atomic<std::uint64_t> dead_lettered{0};
  std::atomic<std::uint64_t> crashes{0}; ///< children that went down, killed ones included
  std::atomic<std::uint64_t> failed_starts{0};
  std::atomic<std::uint64_t> hangs{0};
  std::atomic<std::uint64_t> senders_ended{0};
  std::atomic<std::uint64_t> restarts{0}; ///< of the children of supervisors

  /// Counts one.
  void count(const Event& event);
  /// Counts one.
  void count(const SupervisorEvent& event);
};

/// What all parts of the load share. Outlives all actors.
struct Shared {
  caf::actor_system& system;
  std::uint64_t seed;
  Observatory observatory{}; ///< sees all senders, supervisors and outboxes
  Account account{};
  Happenings happenings{};
  std::atomic<bool> is_over{false}; ///< nothing new is submitted
};

/// One part of the load: its actors, whatever they need besides, and what can be done to them.
class Part {
public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  /// Does something bad to one of its actors, or to what they need.
  ///
  /// @param kind  decides what, in [0, 1)
  /// @param which decides to whom, in [0, 1)
  virtual void disturb(double kind, double which) = 0;

  /// Nothing bad is done any more: what still fails for lack of something gets it back.
  virtual void calm_down() = 0;

  /// Ends all its actors. Nothing is owed any more, if all is well.
  virtual void end() = 0;

  /// How much is owed although all its actors have ended; 0, if all is well.
  virtual std::uint64_t left() const { return 0; }
};

} // namespace backoff_actor::soak
