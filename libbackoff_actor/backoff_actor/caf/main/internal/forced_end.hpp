#pragma once

#include "backoff_actor/core/time.hpp"

#include <chrono>

namespace backoff_actor::detail {

// Ends the process without destructors, whatever its threads do, with the exit code 1. Says so on
// the error stream. One thread of the process waits for the time; it needs no other.
//
// @thread any

// If SIGINT or SIGTERM comes from now on, ends the process `span` after it. `Duration::max()`:
// not any more; a signal that has come still counts.
void force_end_after_signal(Duration span) noexcept;

// Ends the process at `at`, in place of any time before.
void force_end_at(std::chrono::steady_clock::time_point at) noexcept;

} // namespace backoff_actor::detail
