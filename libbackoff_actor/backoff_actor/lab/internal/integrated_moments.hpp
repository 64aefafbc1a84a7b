#pragma once

#include "backoff_actor/lab/internal/delay_moments.hpp"

#include <memory>

// Private to the plan: formulas in which each delay follows from the one drawn before. Their
// distributions are computed on a grid, from retry to retry.

namespace backoff_actor::detail {

std::unique_ptr<DelayMoments> integrated_moments(const Decorrelated& formula);

std::unique_ptr<DelayMoments> integrated_moments(const Seed002& formula, Bounds bounds);

/// Of an `Exponential` with a carried jitter.
std::unique_ptr<DelayMoments> carried_moments(const Policy& policy);

} // namespace backoff_actor::detail
