#pragma once

#include "tune_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders an answer for people.
std::string tune_text(const TuneAnswer& answer);

} // namespace backoffctl
