#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `tune`, the arithmetic of a backoff's parameters.
std::unique_ptr<Command> add_tune_command(CLI::App& backoffctl);

} // namespace backoffctl
