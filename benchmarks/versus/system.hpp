#pragma once

#include "article/back_off_protocol.hpp"
#include "common/system.hpp"
#include "common/time.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/compat_scheduler.hpp>

#include <cstdint>
#include <utility>

namespace versus {

using transcription::Msg;

using benchmarks::cpu_now;
using benchmarks::own_now;
using benchmarks::own_now_of_this_thread;
using benchmarks::wall_now;

/// Returns a new actor system with so many threads for its actors. It is never taken down, for the
/// process of a subject ends without.
///
/// @shape `shares`: the threads take what there is to do from one queue, instead of each other's
inline caf::actor_system& system_with(std::int64_t threads, bool shares = false) {
  auto& config = *new caf::actor_system_config;
  backoff_actor::init<caf::id_block::transcription>(config);
  benchmarks::set_threads(config, static_cast<std::uint64_t>(threads));
  if (shares)
    backoff_actor::compat::share_work(config);
  return *new caf::actor_system{config};
}

/// Keeps an actor until the process ends.
inline caf::actor kept(caf::actor actor) { return *new caf::actor{std::move(actor)}; }

} // namespace versus
