#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace backoff_actor {

/// What a person can make a sender or a guard do while it works, or see of its messages.
enum class OperatorAction : std::uint8_t {
  pause,       ///< as the message `Pause`
  resume,      ///< as the message `Resume`
  retry_now,   ///< as the message `RetryNow`
  drain,       ///< as the message `Drain`, without a timeout; `resume` ends it
  resubmit,    ///< submits dead letters again, and removes those that were accepted
  remove,      ///< removes dead letters
  close_guard, ///< as `SharedGuard::close`
  look,        ///< looks at dead letters, with their messages
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(OperatorAction action);

/// An action that was tried, and by whom.
struct OperatorEvent {
  std::string who{};       ///< as it was given
  OperatorAction action{}; ///< what it was
  std::string whom{};      ///< the sender, or the guard
  bool is_done = false;    ///< whether it was done
  std::size_t letters{0};  ///< dead letters that it was done to
  std::string text{};      ///< the state after it, or why it was not done
};

/// Renders it in one line: `anna: pause orders#17: done: orders#17: waiting, 12 owed`.
BACKOFF_ACTOR_EXPORT std::string to_string(const OperatorEvent& event);

} // namespace backoff_actor
