#pragma once

#include "contention_answer.hpp"

#include <string>

namespace backoffctl {

/// Renders an answer for people.
std::string contention_text(const ContentionAnswer& answer);

} // namespace backoffctl
