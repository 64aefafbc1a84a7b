#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `policies`, how other systems wait.
std::unique_ptr<Command> add_policies_command(CLI::App& backoffctl);

} // namespace backoffctl
