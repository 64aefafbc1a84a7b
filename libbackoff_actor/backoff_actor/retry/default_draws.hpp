#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>

// Where draws come from if nobody says: two processes, and two series of one process, must not march
// in step.

namespace backoff_actor {

/// Returns 64 bits of the system's source of chance, which nobody can guess.
///
/// @errors throws what `std::random_device` throws.
/// @thread safe from any thread.
BACKOFF_ACTOR_EXPORT std::uint64_t random_bits();

/// Returns a number that was drawn from the system's source of chance when it was asked for first.
///
/// @errors throws what `std::random_device` throws, in the first call.
/// @thread safe from any thread. A process that was forked after the first call has the same seed.
BACKOFF_ACTOR_EXPORT std::uint64_t seed_of_this_process();

/// Returns a stream of that seed which no other call in this process returns.
///
/// @range  2^63 and above; those below are for who has a number of its own, such as an actor's id.
/// @thread safe from any thread.
BACKOFF_ACTOR_EXPORT std::uint64_t next_stream_of_this_process();

} // namespace backoff_actor
