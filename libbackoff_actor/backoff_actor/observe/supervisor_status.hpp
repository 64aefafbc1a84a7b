#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/supervision/restart_type.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace backoff_actor {

/// What a child of a supervisor is doing.
enum class ChildState : std::uint8_t {
  stopped,  ///< down, and nothing is scheduled
  waiting,  ///< down, and to be started: after a delay, or when its turn has come
  starting, ///< made or being made, and not up yet
  running,  ///< up
  ending,   ///< told to end, and not down yet
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(ChildState state);

/// Why a child is stopped.
enum class StoppedBecause : std::uint8_t {
  not_stopped,   ///< it is not
  done,          ///< it ended cleanly, and its restart type asks for no restart
  terminated,    ///< somebody asked for it
  decided,       ///< the decider said so
  given_up,      ///< its own limit of restarts was reached
  not_restarted, ///< somebody asked for its start, and the start failed
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(StoppedBecause reason);

/// The status of a child at one moment.
///
/// @units nanoseconds in durations
struct ChildStatus {
  std::string id{};                                     ///< unique within its supervisor
  ChildState state = ChildState::stopped;               ///< what it is doing
  RestartType restart = RestartType::permanent;         ///< from its spec
  StoppedBecause stopped = StoppedBecause::not_stopped; ///< why it is stopped
  std::uint32_t incarnation = 0;                        ///< now or last alive; 0 before the first
  std::uint32_t restarts = 0;                           ///< times it came up again
  std::uint32_t failures = 0;                           ///< in a row; the backoff's state
  bool is_due = false;                                  ///< a time for its restart is set
  Duration due_in{0};                                   ///< the time until then; never negative
  Duration up_for{0};                                   ///< how long it has been up; 0 if it is not
  std::string cause{};                                  ///< of its last failure; empty: none

  /// Whether two are equal.
  friend bool operator==(const ChildStatus&, const ChildStatus&) = default;
};

/// Renders a child in one line:
///
/// `db: waiting, restart in 70ms, child 3, 3 failures in a row, last: connection refused`.
BACKOFF_ACTOR_EXPORT std::string to_string(const ChildStatus& child);

/// What a supervisor is doing.
enum class SupervisorPhase : std::uint8_t {
  starting, ///< its first children are not all up yet
  running,  ///< all of them have been up
  /// It will end: it starts nothing, and the senders below it finish what is in flight.
  finishing,
  stopping, ///< it ends its children
  stopped,  ///< ended for good
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(SupervisorPhase phase);

/// How many children a supervisor has, at one moment.
struct ChildCounts {
  std::uint64_t specs = 0;    ///< all
  std::uint64_t active = 0;   ///< alive: starting, running or ending
  std::uint64_t running = 0;  ///< up
  std::uint64_t waiting = 0;  ///< to be started
  std::uint64_t stopped = 0;  ///< down, and nothing is scheduled
  std::uint64_t restarts = 0; ///< times that any child came up again, ever
  /// Abandoned children that are still alive.
  std::uint64_t abandoned = 0;

  /// Whether two are equal.
  friend bool operator==(const ChildCounts&, const ChildCounts&) = default;
};

/// Renders the counts in one line: `5 children: 3 running, 1 waiting, 1 stopped; 12 restarts`.
BACKOFF_ACTOR_EXPORT std::string to_string(const ChildCounts& counts);

} // namespace backoff_actor
