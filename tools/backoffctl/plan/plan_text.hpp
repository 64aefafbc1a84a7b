#pragma once

#include "plan_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders an answer for people.
std::string plan_text(const PlanAnswer& answer);

} // namespace backoffctl
