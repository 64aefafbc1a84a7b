#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `backoffctl outage`.
std::unique_ptr<Command> add_live_outage_command(CLI::App& backoffctl);

} // namespace backoffctl
