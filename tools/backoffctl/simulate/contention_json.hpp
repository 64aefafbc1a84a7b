#pragma once

#include "contention_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders an answer as JSON.
std::string contention_json(const ContentionAnswer& answer);

} // namespace backoffctl
