#pragma once

#include "backoff_actor/lab/internal/delay_moments.hpp"

#include <memory>

// Private to the plan: formulas in which each delay follows from the one drawn before it. Their
// distributions are carried from retry to retry on a grid.

namespace backoff_actor::detail {

std::unique_ptr<DelayMoments> integrated_moments(const Decorrelated& formula);

std::unique_ptr<DelayMoments> integrated_moments(const Seed002& formula, Bounds bounds);

} // namespace backoff_actor::detail
