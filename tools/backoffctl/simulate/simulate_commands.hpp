#pragma once

#include "backoffctl/common/command.hpp"

namespace backoffctl {

/// Adds `simulate`, which leads to a command for each experiment.
void add_simulate_commands(CLI::App& backoffctl, Commands& commands);

} // namespace backoffctl
