#pragma once

#include "backoffctl/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `backoffctl outage`.
std::unique_ptr<Command> add_live_outage_command(CLI::App& backoffctl);

} // namespace backoffctl
