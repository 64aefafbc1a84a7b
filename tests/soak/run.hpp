#pragma once

#include "options.hpp"
#include "outcome.hpp"

#include <atomic>
#include <functional>

namespace backoff_actor::soak {

/// Makes the load, with all that goes wrong, and waits for what is owed.
///
/// If something was lost, or actors do not end, the actor system is left as it is: to wait for its
/// end would take for ever.
///
/// @param is_interrupted ends the load early
/// @param tell           is called once a second
Outcome run(const Options& options, const std::atomic<bool>& is_interrupted,
            const std::function<void(const Sample&)>& tell);

} // namespace backoff_actor::soak
