#pragma once

#include "worker_pool/queue.hpp"

#include <chrono>

namespace worker_pool {

/// Lets the same messages come to a sender with real workers, which sleep for the service time. So
/// the times are those of a machine, in means of the service.
///
/// @param service the mean time of the service
Times run_in_real_time(const Load& load, std::chrono::microseconds service);

} // namespace worker_pool
