#pragma once

#include "backoffctl/common/command.hpp"

namespace backoffctl {

/// Adds `outbox` with its commands: what is in the file of a durable outbox. Built without SQLite,
/// it is one command, which says so.
void add_outbox_commands(CLI::App& backoffctl, Commands& commands);

} // namespace backoffctl
