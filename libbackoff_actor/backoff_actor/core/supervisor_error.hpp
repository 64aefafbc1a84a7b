#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The errors that a supervisor answers or terminates with. The numbers are part of the interface.
///
/// @source the control errors follow Erlang/OTP's supervisors where those have them
enum class SupervisorError : std::uint8_t {
  /// A child with this id exists, and it is down.
  already_present = 1,
  /// A child with this id exists, and it lives.
  already_started = 2,
  /// The child is up.
  running = 3,
  /// The child is being started, or its restart has been scheduled.
  restarting = 4,
  /// The child is being ended.
  ending = 5,
  /// The child is down and nothing is scheduled.
  not_running = 6,
  /// There is no child with this id.
  not_found = 7,
  /// The supervisor already has the maximum number of children.
  max_children = 8,
  /// The supervisor is ending and starts nothing any more.
  stopping = 9,
  /// A child could not be started.
  start_failed = 10,
  /// The child was terminated before it had started.
  terminated = 11,
  /// There were more restarts than the limit of the supervisor, or the child's own limit, allows.
  limit_reached = 12,
  /// There is no child at this address now.
  no_child = 13,
};

/// The largest number of an error.
inline constexpr std::uint8_t last_supervisor_error = 13;

/// Renders an error as its name and a sentence for people. An unknown number gives
/// `unknown supervisor error`.
BACKOFF_ACTOR_EXPORT std::string to_string(SupervisorError error);

} // namespace backoff_actor
