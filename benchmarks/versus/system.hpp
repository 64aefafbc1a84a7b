#pragma once

#include "article/back_off_protocol.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/compat_scheduler.hpp>

#include <cstdint>
#include <ctime>
#include <string_view>
#include <utility>

namespace versus {

using transcription::Msg;

/// Whether this is CAF 1.x, and not 0.17.6.
inline constexpr bool is_caf_1 = std::string_view{VERSUS_CAF_VERSION} >= "1";

/// Returns a new actor system with so many threads for its actors. It is never taken down, for the
/// process of a subject ends without.
///
/// @shape `shares`: the threads take what there is to do from one queue, instead of each other's
inline caf::actor_system& system_with(std::int64_t threads, bool shares = false) {
  auto& config = *new caf::actor_system_config;
  backoff_actor::init<caf::id_block::transcription>(config);
  if constexpr (is_caf_1)
    config.set("caf.scheduler.max-threads", threads);
  else
    config.set("scheduler.max-threads", threads);
  if (shares)
    backoff_actor::compat::share_work(config);
  return *new caf::actor_system{config};
}

/// Keeps an actor until the process ends.
inline caf::actor kept(caf::actor actor) { return *new caf::actor{std::move(actor)}; }

/// Time of this process on all processors; unlike that of a clock on the wall it does not pass
/// while others have them.
///
/// @units seconds
inline double cpu_now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// Time on the wall.
///
/// @units seconds
inline double wall_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// Time on the wall, but for what others took away: the time in which threads of this process had
/// something to do while others had the processors, in the mean of so many threads. That of an idle
/// machine, more or less.
///
/// @units seconds
double own_now(std::int64_t threads);

/// The same, of the calling thread alone.
///
/// @units seconds
double own_now_of_this_thread();

} // namespace versus
