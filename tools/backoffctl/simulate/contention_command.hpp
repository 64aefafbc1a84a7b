#pragma once

#include "backoffctl/common/command.hpp"

#include <memory>

namespace backoffctl {

/// Adds `contention`, many writers on one optimistic lock.
std::unique_ptr<Command> add_contention_command(CLI::App& simulate);

} // namespace backoffctl
