#pragma once

#include "backoffctl/common/command.hpp"

namespace backoffctl {

/// Adds `backoffctl top`.
void add_top_command(CLI::App& program, Commands& commands);

} // namespace backoffctl
