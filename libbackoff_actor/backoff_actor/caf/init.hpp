#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

namespace backoff_actor {

namespace detail {

/// Registers this library's message types and error texts.
BACKOFF_ACTOR_EXPORT void register_library(caf::actor_system_config& config);

} // namespace detail

/// Registers this library's message types and error texts, and your own type-id blocks. Call it
/// once per program, before the actor system is made, on its configuration:
///
///     caf::actor_system_config config;
///     backoff_actor::init<caf::id_block::my_app>(config);
///     caf::actor_system system{config};
///     const backoff_actor::ExitReport report{system}; // says why, if the program does not end
///
/// @errors without this call, whatever spawns an actor of this library throws `std::logic_error`.
///         A message type of your own whose block is missing here: CAF 0.17.6 sends it within the
///         process as usual. A sender refuses it, with `SenderError::unknown_type` and its name, as
///         soon as the message is needed as bytes: for a durable outbox, for a worker on another
///         node, or for `capacity_bytes`. CAF 1.x ends the program when the first such message is
///         made, and prints `found no meta object for type ID 200!` and what to call. A type that
///         is in no block does not compile with CAF 1.x, nor with `durable<T>()`.
template <class... IdBlocks>
void init(caf::actor_system_config& config) {
  detail::register_library(config);
  (compat::register_types<IdBlocks>(config), ...);
}

} // namespace backoff_actor
