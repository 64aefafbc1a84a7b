#pragma once

#include "outage_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders runs as a table for the console, under a heading that ends its lines.
std::string outage_text(const std::string& heading, const OutageRuns& runs);

} // namespace backoffctl
