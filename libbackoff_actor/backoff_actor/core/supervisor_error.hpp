#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// The errors that a supervisor answers, or ends with. The numbers are part of the interface.
///
/// @source the control errors are those of Erlang/OTP's supervisors, as far as it has them
enum class SupervisorError : std::uint8_t {
  /// There is a child of that id, which is down.
  already_present = 1,
  /// There is a child of that id, and it lives.
  already_started = 2,
  /// The child is up.
  running = 3,
  /// The child is being started, or its restart has been scheduled.
  restarting = 4,
  /// The child is being ended.
  ending = 5,
  /// The child is down and nothing is scheduled.
  not_running = 6,
  /// There is no child of that id.
  not_found = 7,
  /// There are as many children as there may be.
  max_children = 8,
  /// The supervisor is ending; nothing is started any more.
  stopping = 9,
  /// A child could not be started.
  start_failed = 10,
  /// The child was ended before it had started.
  terminated = 11,
  /// Children had to be restarted more often than the supervisor, or the child's own limit, bears.
  limit_reached = 12,
  /// There is no child at this address now.
  no_child = 13,
};

/// The largest number that an error has.
inline constexpr std::uint8_t last_supervisor_error = 13;

/// Renders an error as its name and a sentence for people; a number that is none of ours as
/// `unknown supervisor error`.
BACKOFF_ACTOR_EXPORT std::string to_string(SupervisorError error);

} // namespace backoff_actor
