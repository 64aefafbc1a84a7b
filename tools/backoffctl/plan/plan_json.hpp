#pragma once

#include "plan_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders an answer for programs: one JSON object, all numbers with full precision.
std::string plan_json(const PlanAnswer& answer);

} // namespace backoffctl
