#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string_view>

namespace backoff_actor {

/// Whether the supervisor restarts a child that ended by itself.
///
/// @source the restart types of Erlang/OTP's supervisors
enum class RestartType : std::uint8_t {
  permanent, ///< always, however it ended
  transient, ///< if it failed; one that ended cleanly has done its work, and its spec is kept
  temporary, ///< never; its spec is removed with it, also when it ends with a sibling's restart
};

/// How a child ended.
enum class Ending : std::uint8_t {
  normal,   ///< it had nothing more to do
  shutdown, ///< somebody asked it to end, and it did
  killed,   ///< somebody gave it no choice
  failed,   ///< any other way
};

/// Whether the child ended without a failure.
constexpr bool is_clean(Ending ending) {
  return ending == Ending::normal || ending == Ending::shutdown;
}

/// Whether the supervisor restarts a child of this type that ended by itself in this way.
constexpr bool wants_restart(RestartType type, Ending ending) {
  switch (type) {
  case RestartType::permanent:
    return true;
  case RestartType::transient:
    return !is_clean(ending);
  case RestartType::temporary:
    break;
  }
  return false;
}

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(RestartType type);

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Ending ending);

} // namespace backoff_actor
