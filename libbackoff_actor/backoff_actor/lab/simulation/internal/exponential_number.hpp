#pragma once

#include "backoff_actor/core/export.hpp"

namespace backoff_actor {

/// Returns a number from the exponential distribution with mean 1: the time to the next event of
/// something that happens at random, once per unit of time on average.
///
/// @shape  `u -> x`; pure, total, the same bits on every platform: no logarithm of the C library
/// @units  dimensionless
/// @range  `0 <= u < 1`; `0 <= x < 36.8`
/// @errors off by at most 4e-16 times the greater of 1 and `x`
BACKOFF_ACTOR_EXPORT double exponential_number(double u);

} // namespace backoff_actor
