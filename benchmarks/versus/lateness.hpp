#pragma once

#include "versus/readings.hpp"

#include <chrono>
#include <cstdint>

namespace versus {

/// Who waits for a delay.
enum class Sleeper {
  caf,  ///< a plain actor, by a delayed message to itself
  ours, ///< a sender of this library, before it resends
};

/// Measures how late after a delay of its own what was delayed leaves, in this process, where
/// nothing else goes on.
///
/// @shape 99th percentile, median, and the latest, in milliseconds
Figures lateness(Sleeper sleeper, std::chrono::milliseconds delay, std::uint64_t count,
                 bool shares);

} // namespace versus
