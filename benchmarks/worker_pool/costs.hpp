#pragma once

#include <cstdint>

namespace worker_pool {

/// What a pool's engine takes, in instructions.
struct Costs {
  double free = 0;    ///< a submission and its acknowledgement, when half of the workers are free
  double backlog = 0; ///< the same, when none is free and a thousand messages wait
  double crash = 0;   ///< a crash of one worker, its new child, and the end of its delay
};

/// Counts the instructions of a pool with so many workers.
///
/// @param counted how many submissions are counted, and a twenty-fifth as many crashes, but at
///                least one
/// @range `8 <= workers <= 1000`, `1 <= counted`
/// @errors throws `std::runtime_error` if this system lets no process trace another.
Costs costs_of(std::uint32_t workers, std::uint64_t counted);

} // namespace worker_pool
