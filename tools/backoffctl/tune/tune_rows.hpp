#pragma once

#include "backoff_actor/lab/tuning.hpp"

#include <cstdint>
#include <vector>

namespace backoffctl {

/// Returns the retries that a table shows: how the series begins, and those between two numbers,
/// both included.
std::vector<backoff_actor::RetryPoint> rows_of(const backoff_actor::DelaySeries& series,
                                               std::uint64_t from, std::uint64_t to);

/// Returns the retries that a table shows if nothing in particular is asked for.
std::vector<backoff_actor::RetryPoint> first_rows_of(const backoff_actor::DelaySeries& series);

} // namespace backoffctl
