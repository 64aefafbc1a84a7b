#pragma once

#include <cstdint>

namespace benchmarks {

/// The memory of this process.
///
/// @units bytes
struct Memory {
  std::int64_t heap = 0; ///< what malloc has given out and not got back, its own headers included
  std::int64_t resident = 0; ///< what the system counts, RSS
};

inline Memory operator-(const Memory& a, const Memory& b) {
  return {a.heap - b.heap, a.resident - b.resident};
}

/// Reads the memory as it is now.
Memory memory_now();

/// Gives back to the system what malloc keeps for later.
void trim_memory();

} // namespace benchmarks
