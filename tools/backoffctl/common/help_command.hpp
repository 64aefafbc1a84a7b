#pragma once

#include "command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `backoffctl help`. It explains all commands that are added, before it or after it.
std::unique_ptr<Command> add_help_command(CLI::App& backoffctl);

} // namespace backoffctl
