#pragma once

#include "outage_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders runs as JSON, with their seconds or without.
///
/// @param with_waits false: how long the clients waited is not known
std::string outage_json(const OutageRuns& runs, bool with_seconds, bool is_simulated = true);

} // namespace backoffctl
