#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `simulate dead-letters`, which messages die while a service is down.
std::unique_ptr<Command> add_dead_letters_command(CLI::App& simulate);

} // namespace backoffctl
