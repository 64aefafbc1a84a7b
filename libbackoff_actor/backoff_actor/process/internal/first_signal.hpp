#pragma once

#include "backoff_actor/core/export.hpp"

namespace backoff_actor::detail {

// The first signal that the `StopSignals` of this process heard; 0: none.
//
// @thread any
BACKOFF_ACTOR_EXPORT int first_stop_signal() noexcept;

// Writes a byte into this end of a pipe when that signal comes, in any thread. The pipe must not
// block, and stays open.
//
// @thread any
BACKOFF_ACTOR_EXPORT void wake_at_first_signal(int write_end) noexcept;

} // namespace backoff_actor::detail
