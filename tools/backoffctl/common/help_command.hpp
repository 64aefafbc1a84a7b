#pragma once

#include "command.hpp"

namespace backoffctl {

/// Adds `backoffctl help`. It explains all commands that are added, before it or after it.
void add_help_command(CLI::App& program, Commands& commands);

} // namespace backoffctl
