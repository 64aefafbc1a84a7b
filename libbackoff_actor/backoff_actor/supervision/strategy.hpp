#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string_view>

namespace backoff_actor {

/// Which children a supervisor restarts when one needs a restart.
///
/// @source the strategies of Erlang/OTP's supervisors
enum class Strategy : std::uint8_t {
  /// That child.
  one_for_one,
  /// All children: the supervisor ends the others in reverse order, then starts all in order.
  one_for_all,
  /// That child and those behind it in order, in the same way: for children that depend on earlier
  /// ones.
  rest_for_one,
};

/// Whether a supervisor ends when significant children have done their work.
///
/// @source Erlang/OTP 24, EEP 56
enum class AutoShutdown : std::uint8_t {
  never,           ///< it does not
  any_significant, ///< it ends when one of them has
  all_significant, ///< it ends when the last of them has
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Strategy strategy);

} // namespace backoff_actor
