#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `backoffctl top`.
std::unique_ptr<Command> add_top_command(CLI::App& backoffctl);

} // namespace backoffctl
