#pragma once

#include "backoffctl/common/command.hpp"

namespace backoffctl {

/// Declares `outbox set-aside`.
void add_set_aside_command(CLI::App& outbox, Commands& commands);

} // namespace backoffctl
