#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `backoffctl load`.
std::unique_ptr<Command> add_load_command(CLI::App& backoffctl);

} // namespace backoffctl
