#pragma once

#include <chrono>

namespace backoff_actor::detail {

// Ends the process at `at` with this exit code, if it has not ended by then: without destructors,
// and whatever its threads do. Says so on the error stream. A second call does nothing.
void force_end_at(std::chrono::steady_clock::time_point at, int exit_code) noexcept;

} // namespace backoff_actor::detail
