#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>

// The default source of random draws. Two processes, or two series of one process, must not draw
// the same numbers, or their retries would coincide.

namespace backoff_actor {

/// Returns 64 unpredictable bits from the system's random source.
///
/// @errors throws what `std::random_device` throws.
/// @thread safe from any thread.
BACKOFF_ACTOR_EXPORT std::uint64_t random_bits();

/// Returns the seed of this process. The first call draws it from the system's random source.
///
/// @errors throws what `std::random_device` throws, in the first call.
/// @thread safe from any thread. A process that was forked after the first call has the same seed.
BACKOFF_ACTOR_EXPORT std::uint64_t seed_of_this_process();

/// Returns a stream of that seed. No other call in this process returns the same stream.
///
/// @range  2^63 and above. Smaller numbers are for callers with a number of their own, such as an
///         actor's id.
/// @thread safe from any thread.
BACKOFF_ACTOR_EXPORT std::uint64_t next_stream_of_this_process();

} // namespace backoff_actor
