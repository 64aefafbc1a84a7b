#pragma once

#include "outage_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders runs as JSON, with their seconds or without.
std::string outage_json(const OutageRuns& runs, bool with_seconds);

} // namespace backoffctl
