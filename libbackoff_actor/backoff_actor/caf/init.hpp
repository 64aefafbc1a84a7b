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
template <class... IdBlocks>
void init(caf::actor_system_config& config) {
  detail::register_library(config);
  (compat::register_types<IdBlocks>(config), ...);
}

} // namespace backoff_actor
