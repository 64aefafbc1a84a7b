#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `simulate outage`.
std::unique_ptr<Command> add_outage_command(CLI::App& simulate);

} // namespace backoffctl
