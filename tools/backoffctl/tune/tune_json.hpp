#pragma once

#include "tune_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders an answer for programs: one JSON object, all numbers with full precision.
std::string tune_json(const TuneAnswer& answer);

} // namespace backoffctl
