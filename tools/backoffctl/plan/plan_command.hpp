#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `plan`, what is to be expected of policies.
std::unique_ptr<Command> add_plan_command(CLI::App& backoffctl);

} // namespace backoffctl
