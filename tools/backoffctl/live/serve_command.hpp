#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `backoffctl serve`.
std::unique_ptr<Command> add_serve_command(CLI::App& backoffctl);

} // namespace backoffctl
